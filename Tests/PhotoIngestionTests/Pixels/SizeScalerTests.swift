import Testing

@testable import PhotoIngestion

@Suite("SizeScaler")
struct SizeScalerTests {
  private func painted(_ picture: SmallPicture, _ width: Int, _ height: Int) -> SmallPicture {
    let size = PhotoSize.ladder(width: picture.width, height: picture.height)
      .first { ($0.width, $0.height) == (width, height) }
    var painter = SizeScaler(
      size ?? PhotoSize.ladder(width: 1, height: 1)[0], ofWidth: picture.width,
      height: picture.height, bands: picture.bands)
    picture.pixels.withUnsafeBufferPointer { pixels in
      for y in 0..<picture.height {
        painter.add(row: pixels.baseAddress! + y * picture.width * picture.bands)
      }
    }
    return painter.picture
  }

  @Test("A picture that isn't reduced stays as it is", arguments: 1...4)
  func whole(_ bands: Int) {
    let picture = SmallPictureTests.picture(31, 22, bands: bands)
    #expect(painted(picture, 31, 22) == picture)
  }

  @Test(
    "A flat picture stays flat", arguments: 1...4,
    [(4001, 30), (20_000, 3), (1300, 90), (90, 1299)])
  func flat(_ bands: Int, _ from: (Int, Int)) {
    let picture = SmallPicture(
      pixels: .init(repeating: 201, count: from.0 * from.1 * bands), width: from.0,
      height: from.1, bands: bands)
    for size in PhotoSize.ladder(width: from.0, height: from.1) {
      let small = painted(picture, size.width, size.height)
      #expect((small.width, small.height) == (size.width, size.height))
      #expect(small.pixels.count == size.width * size.height * bands)
      #expect(small.pixels.allSatisfy { $0 == 201 })
    }
  }

  @Test("Stripes too fine for a size become gray, without creating others")
  func stripes() {
    let row = (0..<2500).map { $0 % 2 == 0 ? 0 : 255 as UInt8 }
    let across = SmallPicture(
      pixels: Array(repeatElement(row, count: 40).joined()), width: 2500, height: 40, bands: 1)
    let down = SmallPicture(
      pixels: (0..<2500).flatMap { [UInt8](repeating: $0 % 2 == 0 ? 0 : 255, count: 40) },
      width: 40, height: 2500, bands: 1)
    for picture in [across, down] {
      for size in PhotoSize.ladder(width: picture.width, height: picture.height)
      where size.maxSide < 1280 {
        let small = painted(picture, size.width, size.height)
        // Leaves out the ends, beyond which the line continues with one color.
        let inner = small.pixels.indices.filter {
          let place = max($0 % small.width, $0 / small.width)
          return (3..<max(small.width, small.height) - 3).contains(place)
            && (small.width > small.height) == ($0 % small.width == place)
        }.map { small.pixels[$0] }
        let (low, high) = (inner.min() ?? 0, inner.max() ?? 255)
        #expect(high - low < 8, "\(size): \(low) to \(high)")
      }
    }
  }

  @Test("A gradient never falls and keeps its ends, even if the last block is cut")
  func gradient() {
    let row = (0..<2047).map { UInt8($0 / 8) }
    let picture = SmallPicture(pixels: row, width: 2047, height: 1, bands: 1)
    let small = painted(picture, 320, 1).pixels
    #expect(zip(small, small.dropFirst()).allSatisfy { $0 <= $1 })
    // Every pixel differs by at most one from the value under its center.
    let far = small.indices.map { abs(Double(small[$0]) - (Double($0) + 0.5) * 2047 / 320 / 8) }
    #expect(far.max() ?? 9 < 1.25)
  }

  @Test("Alpha on white leaves no fringe")
  func white() {
    let clear = SmallPicture(
      pixels: [255, 0, 0, 0, 255, 0, 0, 255, 10, 20, 30, 128], width: 3, height: 1, bands: 4)
    #expect(clear.onWhite().pixels == [255, 255, 255, 255, 0, 0, 132, 137, 142])
    let gray = SmallPicture(pixels: [0, 0, 0, 255], width: 2, height: 1, bands: 2)
    #expect(gray.onWhite().pixels == [255, 0])
    let opaque = SmallPicture(pixels: [1, 2, 3], width: 1, height: 1, bands: 3)
    #expect(opaque.onWhite() == opaque)
  }
}
