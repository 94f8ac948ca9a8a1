import PhotoIngestion
import Testing

/// Pictures so thin that scaling them to a preview would leave nothing.
@Suite struct ThinPictureTests {
  @Test(arguments: [(1, 1_024), (3, 2_336), (7, 32_000), (2_336, 3), (5_000, 1)])
  func aThinJPEGIsPrepared(width: Int, height: Int) throws {
    let photo = try PhotoPipeline(decoding: .inProcess).prepare(
      .bytes(Self.gray(width, height), name: "thin.jpg"))
    #expect((photo.pixelWidth, photo.pixelHeight) == (width, height))
    #expect(photo.normalization.method == .carriedOver)
    #expect(max(photo.preview.pixelWidth, photo.preview.pixelHeight) == 320)
    #expect(min(photo.preview.pixelWidth, photo.preview.pixelHeight) >= 1)
  }

  /// Returns a baseline JPEG of one gray. Its Huffman tables have only the code 0, so each block is two zero bits
  /// (ITU-T T.81, annexes B and F).
  private static func gray(_ width: Int, _ height: Int) -> [UInt8] {
    func two(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
    let blocks = (width + 7) / 8 * ((height + 7) / 8)
    var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0]
    bytes += [UInt8](repeating: 1, count: 64)
    bytes += [0xFF, 0xC0, 0, 11, 8] + two(height) + two(width) + [1, 1, 0x11, 0]
    for table: UInt8 in [0x00, 0x10] {
      bytes += [0xFF, 0xC4, 0, 20, table, 1] + [UInt8](repeating: 0, count: 16)
    }
    bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
    bytes += [UInt8](repeating: 0, count: (2 * blocks + 7) / 8)
    return bytes + [0xFF, 0xD9]
  }
}
