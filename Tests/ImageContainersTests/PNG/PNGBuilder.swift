/// A builder of PNG files, chunk by chunk, valid or invalid on purpose. It computes checksums with the slow method in
/// the specification's annex, to check the fast one.
enum PNGBuilder {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  static func file(_ chunks: [UInt8]...) -> [UInt8] { file(chunks) }
  static func file(_ chunks: [[UInt8]]) -> [UInt8] { signature + chunks.flatMap { $0 } }

  static func chunk(_ type: String, _ data: [UInt8] = [], breaksChecksum: Bool = false) -> [UInt8] {
    let body = Array(type.utf8) + data
    return big(data.count) + body + big(Int(crc(body)) ^ (breaksChecksum ? 1 : 0))
  }

  static func header(
    _ width: Int = 2, _ height: Int = 2, depth: UInt8 = 8, color: UInt8 = 2,
    tail: [UInt8] = [0, 0, 0]
  ) -> [UInt8] {
    chunk("IHDR", big(width) + big(height) + [depth, color] + tail)
  }

  /// Returns the rows of an RGB picture of 2 by 2 pixels in which every sample has this value.
  static func data(value: UInt8 = 7) -> [UInt8] {
    let row = [0] + [UInt8](repeating: value, count: 6)
    return chunk("IDAT", zlib(row + row))
  }

  static let end = chunk("IEND")

  static func text(_ keyword: String, _ text: String) -> [UInt8] {
    chunk("tEXt", Array(keyword.utf8) + [0] + Array(text.utf8))
  }

  static func control(frames: Int, plays: Int = 0) -> [UInt8] {
    chunk("acTL", big(frames) + big(plays))
  }

  static func frame(
    _ sequence: Int, _ width: Int = 2, _ height: Int = 2, x: Int = 0, y: Int = 0,
    dispose: UInt8 = 0, blend: UInt8 = 0
  ) -> [UInt8] {
    chunk(
      "fcTL",
      big(sequence) + big(width) + big(height) + big(x) + big(y) + [0, 1, 0, 10, dispose, blend])
  }

  static func frameData(_ sequence: Int, value: UInt8 = 9, width: Int = 2) -> [UInt8] {
    let row = [0] + [UInt8](repeating: value, count: 3 * width)
    return chunk("fdAT", big(sequence) + zlib(row + row))
  }

  /// Returns a zlib stream of one stored block.
  static func zlib(_ data: [UInt8]) -> [UInt8] {
    var (low, high) = (1, 0)
    for byte in data {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    let count = [UInt8(data.count & 0xFF), UInt8(data.count >> 8)]
    return [0x78, 0x01, 1] + count + count.map { ~$0 } + data + big(high << 16 | low)
  }

  static func big(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  static func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
    }
    return ~crc
  }

  /// Returns the file with corrected checksums, up to the first chunk that can't be followed.
  static func withChecksums(_ file: [UInt8]) -> [UInt8] {
    var file = file
    var offset = 8
    while offset + 12 <= file.count {
      let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= file.count - offset - 12 else { break }
      let end = offset + 8 + length
      file.replaceSubrange(end..<end + 4, with: big(Int(crc(file[offset + 4..<end]))))
      offset = end + 4
    }
    return file
  }

  /// A still picture of 2 by 2 pixels with many other chunks.
  static let still = file(
    header(), chunk("gAMA", big(45_455)), chunk("sRGB", [0]),
    chunk("PLTE", [1, 2, 3]), chunk("tRNS", [0, 7, 0, 7, 0, 7]),
    chunk("pHYs", big(1) + big(1) + [0]),
    text("Comment", "a dog"), data(), chunk("tIME", [7, 234, 1, 1, 0, 0, 0]), end)

  /// An animation of three frames. The first is also the default picture.
  static let animation = file(
    header(), control(frames: 3, plays: 2), frame(0), data(), frame(1, 1, 2, x: 1),
    frameData(2, width: 1), text("Author", "me"), frame(3), frameData(4, value: 1), end)
}

/// A generator of the same random numbers in every run (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
