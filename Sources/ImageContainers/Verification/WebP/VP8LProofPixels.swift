/// The pixels of an entropy-coded image: alpha, red, green and blue.
///
/// They are only stored if the visible colors must be known, because of alpha or a palette. The main picture passes its
/// rows on and stores only as many pixels as a repetition can refer back to, so a small file can't cause a large
/// allocation.
struct VP8LProofPixels {
  /// The last pixels, or all of them.
  private var ring: [UInt32] = []
  private let mask: Int
  private(set) var count = 0
  private let total: Int
  private let cacheBits: Int
  private var cache: [UInt32]
  private let width: Int
  private var x = 0
  /// Processes each row of a picture.
  private(set) var rows: VP8LProofRows?

  /// A distance has at most 20 bits (RFC 9649, 4.2.2).
  private static let farthest = 1 << 20

  init(width: Int, height: Int, cacheBits: Int, rows: VP8LProofRows? = nil) {
    self.width = width
    self.cacheBits = cacheBits
    self.rows = rows
    total = width * height
    mask = rows == nil ? .max : Self.farthest - 1
    cache = [UInt32](repeating: 0, count: 1 << cacheBits)
  }

  var isFull: Bool { count == total }
  /// All pixels of an image whose rows aren't passed on.
  var pixels: [UInt32] { ring }

  mutating func put(_ pixel: UInt32) {
    if count <= mask { ring.append(pixel) } else { ring[count & mask] = pixel }
    count &+= 1
    if cacheBits > 0 { cache[Int((0x1E35_A7BD &* pixel) >> UInt32(32 - cacheBits))] = pixel }
    guard rows != nil else { return }
    x &+= 1
    guard x == width else { return }
    x = 0
    let start = (count - width) & mask
    let end = min(start + width, ring.count)
    rows?.addRow(Array(ring[start..<end] + ring[..<(start + width - end)]))
  }

  /// Appends a pixel `count` times. Returns `false` if they don't fit.
  mutating func put(_ pixel: UInt32, count: Int) -> Bool {
    guard count <= total - self.count else { return false }
    for _ in 0..<count { put(pixel) }
    return true
  }

  mutating func putCached(_ index: Int) { put(cache[index]) }

  /// Repeats pixels. Returns `false` if the distance is too large or the pixels don't fit.
  mutating func repeated(_ length: Int, from distance: Int) -> Bool {
    guard distance <= min(count, Self.farthest), length <= total - count else { return false }
    for _ in 0..<length { put(ring[(count - distance) & mask]) }
    return true
  }
}
