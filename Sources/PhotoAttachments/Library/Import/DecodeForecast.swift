import ImageContainers

/// An estimate of the memory that preparing a photo takes, from its first bytes. It only decides how many photos are
/// prepared at once. It refuses nothing, because `ImportReader` and the decoder check the limits.
struct DecodeForecast {
  /// The number of bytes at the start of a file that are read for the forecast.
  static let window = 64 << 10

  /// `true` if the file begins like a photo. Other files aren't read any further.
  var isPhoto: Bool
  /// The memory in bytes that preparing the photo takes.
  var memoryBytes: Int

  init(head: [UInt8], fileSize: Int) {
    // Videos may begin like HEIC too, but their brands are enough to refuse them.
    let isHEIF = ["mif1", "msf1"].contains { head.dropFirst(8).starts(with: $0.utf8) }
    guard let format = ImageContainer.format(of: head),
      format != .heic || isHEIF || HEICContainer.hasBrand(head)
    else {
      self.init(isPhoto: false, memoryBytes: 1 << 20)
      return
    }
    // The file, its clean copy, and the result.
    let files = min(fileSize, 1 << 40) * 3
    guard let size = Self.size(head, format), size.width > 0, size.height > 0 else {
      // No size was found, so assume ten pixels per byte.
      self.init(isPhoto: true, memoryBytes: files * 10 + (32 << 20))
      return
    }
    let perPixel =
      switch format {
      case .jpeg: 7  // measured at 200 megapixels, including rotation
      case .png: 9
      case .gif: 9
      case .webp: 10
      case .heic: 9
      }
    let pixels = min(size.width, 1 << 20) * min(size.height, 1 << 20)
    self.init(isPhoto: true, memoryBytes: files + pixels * perPixel + (8 << 20))
  }

  private init(isPhoto: Bool, memoryBytes: Int) {
    self.isPhoto = isPhoto
    self.memoryBytes = memoryBytes
  }

  private static func size(_ head: [UInt8], _ format: ImageFormat) -> (width: Int, height: Int)? {
    func big16(_ at: Int) -> Int {
      at + 2 <= head.count ? Int(head[at]) << 8 | Int(head[at + 1]) : 0
    }
    func big32(_ at: Int) -> Int { big16(at) << 16 | big16(at + 2) }
    func little16(_ at: Int) -> Int {
      at + 2 <= head.count ? Int(head[at + 1]) << 8 | Int(head[at]) : 0
    }
    switch format {
    case .png: return (big32(16), big32(20))
    case .gif: return (little16(6), little16(8))
    case .webp:
      switch head.dropFirst(12).prefix(4) {
      case ArraySlice("VP8X".utf8):
        return (
          (little16(24) | (little16(26) & 0xFF) << 16) + 1,
          (little16(26) >> 8 | little16(28) << 8) + 1
        )
      case ArraySlice("VP8L".utf8):
        let bits = little16(21) | little16(23) << 16
        return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
      default: return (little16(26) & 0x3FFF, little16(28) & 0x3FFF)
      }
    case .jpeg:
      var at = 2
      while at + 9 < head.count, head[at] == 0xFF {
        let marker = head[at + 1]
        if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
          return (big16(at + 7), big16(at + 5))
        }
        at += 2 + big16(at + 2)
      }
      return nil
    case .heic:
      // The largest `ispe` property belongs to the whole picture.
      var largest: (width: Int, height: Int)?
      var at = 0
      let name = Array("ispe".utf8)
      while at + 16 <= head.count {
        if head[at] == name[0], Array(head[at..<at + 4]) == name {
          let found = (width: min(big32(at + 8), 1 << 20), height: min(big32(at + 12), 1 << 20))
          if found.width * found.height > (largest.map { $0.width * $0.height } ?? 0) {
            largest = found
          }
        }
        at += 1
      }
      return largest
    }
  }
}
