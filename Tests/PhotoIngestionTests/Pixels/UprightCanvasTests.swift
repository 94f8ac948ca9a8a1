import Testing

@testable import PhotoIngestion

@Suite("UprightCanvas")
struct UprightCanvasTests {
  static let sizes = [(1, 1), (7, 3), (32, 32), (33, 31), (70, 129)]

  private func picture(_ width: Int, _ height: Int) -> [UInt8] {
    (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
  }

  @Test("It turns as libvips does", arguments: 1...8, sizes)
  func asLibvips(_ orientation: Int, _ size: (Int, Int)) throws {
    try VipsRuntime.start(threads: 1)
    try picture(size.0, size.1).withUnsafeBytes { pixels in
      let stored = try VipsPicture.over(pixels, width: size.0, height: size.1)
      let expected = try stored.upright(orientation).inMemory()
      let canvas = try stored.painted(orientation: orientation, converting: nil)
      #expect(canvas.pixels == (try expected.pixels()))
      #expect((canvas.width, canvas.height) == (expected.width, expected.height))
    }
  }

  @Test("Pieces that reach beyond the canvas are cut off", arguments: 1...8)
  func pieces(_ orientation: Int) throws {
    let (width, height, side) = (70, 45, 32)
    let pixels = picture(width, height)
    let whole = try UprightCanvas(width: width, height: height, orientation: orientation) {
      painter in
      pixels.withUnsafeBufferPointer {
        painter.paint(
          $0.baseAddress!, stride: width * 3, width: width, height: height, left: 0, top: 0)
      }
    }
    let tiled = try UprightCanvas(width: width, height: height, orientation: orientation) {
      painter in
      for top in stride(from: 0, to: height + side, by: side) {
        for left in stride(from: 0, to: width + side, by: side) {
          var tile = [UInt8](repeating: 255, count: side * side * 3)
          for y in 0..<max(0, min(side, height - top)) {
            for x in 0..<max(0, min(side, width - left)) * 3 {
              tile[y * side * 3 + x] = pixels[((top + y) * width + left) * 3 + x]
            }
          }
          painter.paint(
            tile, stride: side * 3, width: side, height: side, left: left, top: top)
        }
      }
    }
    #expect(tiled.pixels == whole.pixels)
  }

  @Test("A failure leaves no canvas")
  func failure() {
    #expect(throws: PhotoError.corrupt(what: "decode")) {
      try UprightCanvas(width: 8, height: 8, orientation: 1) { _ in
        throw PhotoError.corrupt(what: "decode")
      }
    }
  }
}
