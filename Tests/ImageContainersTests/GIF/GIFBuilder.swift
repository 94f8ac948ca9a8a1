/// A builder of small GIFs, block by block.
enum GIFBuilder {
  static func header(width: Int, height: Int, version: String = "GIF89a") -> [UInt8] {
    Array(version.utf8) + little(width) + little(height) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
  }

  static func little(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }

  static func control(flags: UInt8 = 0, delay: Int = 10, index: UInt8 = 0) -> [UInt8] {
    [0x21, 0xF9, 4, flags] + little(delay) + [index, 0]
  }

  static func loop(_ count: Int, name: String = "NETSCAPE2.0") -> [UInt8] {
    application(name, [3, 1] + little(count) + [0])
  }

  /// Returns an application extension. The data includes its sub-blocks and terminator.
  static func application(_ name: String, _ data: [UInt8]) -> [UInt8] {
    [0x21, 0xFF, 11] + Array(name.utf8) + data
  }

  static func comment(_ text: String) -> [UInt8] {
    [0x21, 0xFE, UInt8(text.utf8.count)] + Array(text.utf8) + [0]
  }

  /// Returns a frame of one color, or with these codes of three bits.
  static func frame(
    _ left: Int, _ top: Int, _ width: Int, _ height: Int, codes: [Int]? = nil,
    subBlock: Int = 255, localPalette: Bool = false, more: [UInt8] = []
  ) -> [UInt8] {
    var bytes: [UInt8] = [0x2C]
    for value in [left, top, width, height] { bytes += little(value) }
    bytes.append(localPalette ? 0x80 : 0)
    if localPalette { bytes += [1, 2, 3, 4, 5, 6] }
    bytes.append(2)
    var data = pack(codes ?? literalCodes(pixels: width * height))[...]
    while !data.isEmpty {
      let block = data.prefix(subBlock)
      bytes += [UInt8(block.count)] + block
      data = data.dropFirst(subBlock)
    }
    return bytes + more + [0]
  }

  /// Returns codes with a clear code (4) before each two literals, which keeps all codes at three bits, and an end code
  /// (5).
  static func literalCodes(pixels: Int) -> [Int] {
    var codes: [Int] = []
    for pixel in 0..<pixels {
      if pixel.isMultiple(of: 2) { codes.append(4) }
      codes.append(1)
    }
    return codes + [5]
  }

  static func pack(_ codes: [Int]) -> [UInt8] {
    var bits = 0
    var count = 0
    var bytes: [UInt8] = []
    for code in codes {
      bits |= code << count
      count += 3
      while count >= 8 {
        bytes.append(UInt8(bits & 0xFF))
        bits >>= 8
        count -= 8
      }
    }
    return count > 0 ? bytes + [UInt8(bits)] : bytes
  }

  static let trailer: [UInt8] = [0x3B]

  static let still = header(width: 4, height: 3) + frame(0, 0, 4, 3) + trailer

  /// An animation of two frames, with one of each block that can be dropped.
  static let full: [UInt8] = {
    var bytes = header(width: 6, height: 5) + comment("first") + loop(3)
    bytes += application("XMP DataXMP", Array("<x:xmpmeta/>".utf8) + magicTrailer)
    bytes += control() + frame(0, 0, 6, 5, subBlock: 3)
    bytes += application("ICCRGBG1012", [2, 9, 9, 0])
    bytes += [0x21, 0x01, 1, 7, 2, 65, 66, 0]
    bytes += control(flags: 0b1001, delay: 20, index: 1)
    bytes += frame(1, 1, 3, 2, localPalette: true, more: [2, 66, 66])
    return bytes + application("ImageMagick", [1, 1, 0]) + trailer + Array("tail".utf8)
  }()

  /// Bytes that lead a reader of sub-blocks from any position to the last byte.
  static let magicTrailer: [UInt8] = [1] + (0...255).reversed().map { UInt8($0) } + [0]
}
