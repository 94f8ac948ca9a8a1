/// The pixels of an entropy-coded image as they are read: alpha, red, green and blue of each.
///
/// Kept where what a pixel shows has to be known: with alpha, or with a palette. A picture gives its rows
/// away and keeps as many pixels as a repetition can reach back, so that a small file cannot ask for more.
struct VP8LProofPixels {
  /// The last pixels, or all.
  private var ring: [UInt32] = []
  private let mask: Int
  private(set) var count = 0
  private let total: Int
  private let cacheBits: Int
  private var cache: [UInt32]
  private let width: Int
  private var x = 0
  /// Takes each row of a picture.
  private(set) var rows: VP8LProofRows?

  /// A distance has 20 bits at most (RFC 9649, 4.2.2).
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
  /// All pixels of an image that has no one to take its rows.
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
    rows?.take(Array(ring[start..<end] + ring[..<(start + width - end)]))
  }

  /// Appends a pixel `count` times; false when there is no room.
  mutating func put(_ pixel: UInt32, count: Int) -> Bool {
    guard count <= total - self.count else { return false }
    for _ in 0..<count { put(pixel) }
    return true
  }

  mutating func putCached(_ index: Int) { put(cache[index]) }

  /// Repeats pixels; false when there are none so far back, or no room for them.
  mutating func repeated(_ length: Int, from distance: Int) -> Bool {
    guard distance <= min(count, Self.farthest), length <= total - count else { return false }
    for _ in 0..<length { put(ring[(count - distance) & mask]) }
    return true
  }
}
