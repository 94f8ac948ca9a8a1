/// Finds the first of many perceptual hashes that differs from a given one in few bits.
///
/// If two hashes differ in `distance` bits, at least one of their four bands of 16 bits differs in at most a quarter of
/// these. So it compares only hashes with a similar band, unless that takes longer than comparing all.
struct HashIndex {
  private let distance: Int
  private var hashes: [Int64] = []
  /// The bit patterns by which a band may differ.
  private let differences: [Int]
  /// The last entry of each band and value; -1 for an empty chain. A hash has four entries, one per band.
  private var last = [Int](repeating: -1, count: 4 << 16)
  /// The previous entry with the same band and value, for each entry.
  private var before: [Int] = []

  init(distance: Int) {
    self.distance = distance
    differences = (0..<1 << 16).filter { $0.nonzeroBitCount <= distance / 4 }
  }

  mutating func append(_ hash: Int64) {
    for band in Self.bands(of: hash) {
      before.append(last[band])
      last[band] = before.count - 1
    }
    hashes.append(hash)
  }

  /// Returns the number of the first hash within the distance, and in how many bits it differs.
  ///
  /// - Parameter isFit: returns `true` if the hash with a number may be found.
  func find(
    _ hash: Int64, where isFit: (Int) -> Bool = { _ in true }
  ) -> (number: Int, bits: Int)? {
    func bits(_ number: Int) -> Int { (hashes[number] ^ hash).nonzeroBitCount }
    var first: Int?
    if differences.count * 8 > hashes.count {
      first = hashes.indices.first { bits($0) <= distance && isFit($0) }
    } else {
      for band in Self.bands(of: hash) {
        for difference in differences {
          var entry = last[band ^ difference]
          while entry >= 0 {
            let number = entry / 4
            if number < first ?? .max, bits(number) <= distance, isFit(number) { first = number }
            entry = before[entry]
          }
        }
      }
    }
    return first.map { ($0, bits($0)) }
  }

  /// Returns the bands, numbered by position and value.
  private static func bands(of hash: Int64) -> [Int] {
    (0..<4).map { $0 << 16 | Int(truncatingIfNeeded: hash >> ($0 * 16)) & 0xFFFF }
  }
}
