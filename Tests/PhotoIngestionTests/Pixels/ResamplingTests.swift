import Testing

@testable import PhotoIngestion

@Suite("SmallPicture: shrinking")
struct ResamplingTests {
  /// Original widths and heights, and those within 320 pixels.
  static let sizes: [(from: (Int, Int), to: (Int, Int))] = [
    ((500, 378), (320, 242)), ((378, 500), (242, 320)), ((640, 481), (320, 241)),
    ((321, 1), (320, 1)), ((1, 700), (1, 320)), ((5_000, 7), (320, 1)),
    // Pictures that fit stay as they are.
    ((320, 240), (320, 240)), ((3, 2), (3, 2)),
  ]

  @Test(
    "The longer side is 320 and the other is rounded; flat pictures stay flat", arguments: sizes)
  func sizesAndFlats(_ size: (from: (Int, Int), to: (Int, Int))) {
    for bands in 1...4 {
      for value: UInt8 in [0, 1, 127, 254, 255] {
        let flat = SmallPicture(
          pixels: .init(repeating: value, count: size.from.0 * size.from.1 * bands),
          width: size.from.0, height: size.from.1, bands: bands)
        let small = flat.fitted(to: 320)
        #expect((small.width, small.height) == size.to)
        #expect(small.pixels.count == size.to.0 * size.to.1 * bands)
        // A color multiplied with an alpha of 1 is too coarse to be restored.
        guard value > 1 || bands % 2 == 1 else { continue }
        #expect(small.pixels.allSatisfy { $0 == value })
      }
    }
  }

  @Test("A gradient never falls", arguments: [(256, 100), (256, 255), (255, 31), (256, 7)])
  func gradient(_ length: Int, _ side: Int) {
    let across = SmallPicture(
      pixels: (0..<length).map { UInt8($0) }, width: length, height: 1, bands: 1)
    let down = SmallPicture(pixels: across.pixels, width: 1, height: length, bands: 1)
    let small = across.fitted(to: side).pixels
    #expect(small.count == side)
    #expect(zip(small, small.dropFirst()).allSatisfy { $0 < $1 })
    #expect(down.fitted(to: side).pixels == small)
  }

  @Test("An edge of black and white stays one", arguments: [150, 199, 120])
  func edge(_ side: Int) {
    let row = (0..<200).map { $0 < 100 ? 0 : 255 as UInt8 }
    let picture = SmallPicture(
      pixels: Array(repeatElement(row, count: 50).joined()), width: 200, height: 50, bands: 1)
    let small = picture.fitted(to: side)
    // Overshoot of the kernel at an edge must not wrap around.
    for x in 0..<side where abs(2 * x + 1 - side) > 2 {
      let isWhite = 2 * x > side
      for y in 0..<small.height {
        #expect((small.pixels[y * side + x] > 200) == isWhite)
        #expect((small.pixels[y * side + x] < 55) == !isWhite)
      }
    }
  }

  @Test("A transparent color does not bleed")
  func alpha() {
    // Stripes of transparent red and opaque blue.
    let row = (0..<90).flatMap { $0 / 3 % 2 == 0 ? [255, 0, 0, 0] : [0, 0, 255, 255] as [UInt8] }
    let small = SmallPicture(
      pixels: Array(repeatElement(row, count: 60).joined()), width: 90, height: 60, bands: 4
    ).fitted(to: 64)
    for pixel in stride(from: 0, to: small.pixels.count, by: 4) {
      let isClear = small.pixels[pixel + 3] == 0
      #expect(small.pixels[pixel..<pixel + 3] == (isClear ? [0, 0, 0] : [0, 0, 255]))
    }
    let alphas = stride(from: 3, to: small.pixels.count, by: 4).map { small.pixels[$0] }
    #expect(Set(alphas).isSuperset(of: [0, 255]) && Set(alphas).count > 2)
  }

  @Test(
    "Pixels agree with the plain sum", arguments: [1, 2, 3, 4],
    [(37, 29, 20), (29, 37, 36), (64, 9, 5)])
  func asPlainSum(_ bands: Int, _ size: (width: Int, height: Int, side: Int)) {
    let picture = SmallPictureTests.picture(size.width, size.height, bands: bands)
    let small = picture.fitted(to: size.side)
    for y in 0..<small.height {
      for x in 0..<small.width {
        let expected = plainPixel(x, y, of: small, from: picture)
        for band in 0..<bands {
          let found = Int(small.pixels[(y * small.width + x) * bands + band])
          #expect(abs(found - expected[band]) <= 1)
        }
      }
    }
  }

  /// Returns a pixel as the sum over the whole picture, continued at its edges, as in the paper.
  private func plainPixel(
    _ x: Int, _ y: Int, of small: SmallPicture, from picture: SmallPicture
  ) -> [Int] {
    func catmullRom(_ x: Double) -> Double {
      let x = abs(x)
      if x >= 2 { return 0 }
      return x < 1
        ? (3 * x * x * x - 5 * x * x + 2) / 2 : (-x * x * x + 5 * x * x - 8 * x + 4) / 2
    }
    let (across, down) = (
      Double(picture.width) / Double(small.width), Double(picture.height) / Double(small.height)
    )
    let bands = picture.bands
    var sums = [Double](repeating: 0, count: bands)
    var total = 0.0
    for v in -60..<picture.height + 60 {
      let weightDown = catmullRom(((Double(v) + 0.5) - (Double(y) + 0.5) * down) / down)
      if weightDown == 0 { continue }
      for u in -60..<picture.width + 60 {
        let weight =
          weightDown * catmullRom(((Double(u) + 0.5) - (Double(x) + 0.5) * across) / across)
        let column = max(0, min(u, picture.width - 1))
        let start = (max(0, min(v, picture.height - 1)) * picture.width + column) * bands
        let alpha = picture.hasAlpha ? Double(picture.pixels[start + bands - 1]) / 255 : 1
        for band in 0..<bands {
          let isAlpha = picture.hasAlpha && band == bands - 1
          sums[band] += weight * Double(picture.pixels[start + band]) * (isAlpha ? 1 : alpha)
        }
        total += weight
      }
    }
    let alpha = picture.hasAlpha ? sums[bands - 1] / total : 255
    return (0..<bands).map { band in
      let isAlpha = picture.hasAlpha && band == bands - 1
      let value = sums[band] / total * (isAlpha ? 1 : 255 / alpha)
      return alpha < 0.5 ? 0 : max(0, min(255, Int(value.rounded())))
    }
  }
}
