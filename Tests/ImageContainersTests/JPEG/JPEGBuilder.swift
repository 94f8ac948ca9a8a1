/// A builder of small JPEG files from segments. The entropy-coded data is arbitrary, because the container code under
/// test doesn't decode it.
enum JPEGBuilder {
  static let soi: [UInt8] = [0xFF, 0xD8]
  static let eoi: [UInt8] = [0xFF, 0xD9]
  /// Bytes with a stuffed zero, a restart marker, and fill before another one.
  static let entropy: [UInt8] = [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56, 0xFF, 0xFF, 0xD1, 0x78]
  static let jfif = segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])

  static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let length = payload.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
  }

  static func segment(_ marker: UInt8, _ text: String, _ more: [UInt8] = []) -> [UInt8] {
    segment(marker, Array(text.utf8) + more)
  }

  static func adobe(transform: UInt8, version: UInt8 = 100) -> [UInt8] {
    segment(0xEE, "Adobe", [0, version, 0, 0, 0, 0, transform])
  }

  static func quantization(_ number: UInt8) -> [UInt8] {
    segment(0xDB, [number] + [UInt8](repeating: 1, count: 64))
  }

  /// Returns a table with one code. `head` is its class and number.
  static func huffman(_ head: UInt8) -> [UInt8] {
    segment(0xC4, [head, 1] + [UInt8](repeating: 0, count: 15) + [0])
  }

  static func frame(
    _ marker: UInt8 = 0xC0, width: Int = 16, height: Int = 8, precision: UInt8 = 8,
    components: [UInt8] = [1, 2, 3], sampling: UInt8 = 0x11
  ) -> [UInt8] {
    var payload = [precision]
    payload += [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) }
    payload.append(UInt8(components.count))
    for (index, id) in components.enumerated() {
      payload += [id, index == 0 ? sampling : 0x11, 0]
    }
    return segment(marker, payload)
  }

  static func scan(
    _ components: [UInt8] = [1, 2, 3], tables: UInt8 = 0, band: [UInt8] = [0, 63, 0]
  ) -> [UInt8] {
    segment(0xDA, [UInt8(components.count)] + components.flatMap { [$0, tables] } + band) + entropy
  }

  /// Returns the pieces one after the other. (Long sums of arrays are slow to compile.)
  static func join(_ pieces: [UInt8]...) -> [UInt8] { pieces.flatMap { $0 } }

  /// Returns DQT, SOF, DHT for tables 0, and SOS, in the order of a clean file.
  static func picture(
    _ marker: UInt8 = 0xC0, width: Int = 16, height: Int = 8, components: [UInt8] = [1, 2, 3],
    sampling: UInt8 = 0x11
  ) -> [UInt8] {
    join(
      quantization(0),
      frame(marker, width: width, height: height, components: components, sampling: sampling),
      huffman(0), huffman(0x10), scan(components))
  }

  /// Returns a complete file: SOI, `head`, the picture, EOI, `tail`.
  static func file(head: [UInt8] = [], _ picture: [UInt8] = picture(), tail: [UInt8] = [])
    -> [UInt8]
  {
    join(soi, head, picture, eoi, tail)
  }
}
