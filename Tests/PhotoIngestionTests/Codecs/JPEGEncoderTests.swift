import ImageContainers
import Testing

@testable import PhotoIngestion

@Suite("JPEGEncoder")
struct JPEGEncoderTests {
  /// Returns noise in three bands, the same for each call.
  private static func pixels(_ width: Int, _ height: Int) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<width * height * 3).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
  }

  @Test(
    "Rows that arrive a few at a time give the bytes that libvips makes of all rows",
    arguments: [(1, 1), (16, 16), (33, 17), (250, 99)], [false, true])
  func sameBytes(_ size: (width: Int, height: Int), subsampled: Bool) throws {
    try VipsRuntime.start(threads: 1)
    let (width, height) = size
    let pixels = Self.pixels(width, height)
    let expected = try pixels.span.withUnsafeBytes { pixels in
      try VipsPicture.over(pixels, width: width, height: height)
        .encoded(as: .jpeg, quality: 95, subsampled: subsampled)
    }
    for few in [1, 7, 16, height] {
      var encoder = try JPEGEncoder(
        width: width, height: height, quality: 95, subsampled: subsampled)
      for top in stride(from: 0, to: height, by: few) {
        let rows = pixels[top * width * 3..<min(top + few, height) * width * 3]
        try rows.withUnsafeBufferPointer { rows in try encoder.add(rows: rows) }
      }
      let isSame =
        try Verifier.clean(encoder.finish(), as: .jpeg) == Verifier.clean(expected, as: .jpeg)
      #expect(isSame)
    }
  }

  @Test("Missing rows and impossible JPEG sizes are errors")
  func errors() throws {
    var encoder = try JPEGEncoder(width: 4, height: 4, quality: 95, subsampled: true)
    try Self.pixels(4, 3).withUnsafeBufferPointer { rows in
      try encoder.add(rows: rows)
    }
    var error: PhotoError?
    do throws(PhotoError) { _ = try encoder.finish() } catch let refusal { error = refusal }
    #expect(error == .fault(.jpegEncoder))
    for side in [0, 65_501, Int.max] {
      error = nil
      do throws(PhotoError) {
        _ = try JPEGEncoder(width: side, height: 1, quality: 95, subsampled: true)
      } catch let refusal { error = refusal }
      #expect(error == .fault(.jpegEncoder))
    }
  }
}
