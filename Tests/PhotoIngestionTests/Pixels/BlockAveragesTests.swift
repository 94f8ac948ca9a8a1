import ImageContainers
import Testing

@testable import PhotoIngestion

@Suite("BlockAverages")
struct BlockAveragesTests {
  @Test(
    "Each value is the mean of a block, with colors weighted by alpha", arguments: 1...4,
    [1, 2, 3, 5, 8])
  func asPlainMean(_ bands: Int, _ factor: Int) {
    let picture = SmallPictureTests.picture(31, 22, bands: bands)
    var averages = BlockAverages(
      width: 31, height: 22, bands: bands, weightsByAlpha: picture.hasAlpha, factor: factor)
    picture.pixels.withUnsafeBufferPointer {
      for y in 0..<22 { averages.add(row: $0.baseAddress! + y * 31 * bands) }
    }
    let small = averages.picture
    #expect(small.width == (31 + factor - 1) / factor)
    #expect(small.height == (22 + factor - 1) / factor)
    let expected = (0..<small.height).flatMap { y in
      (0..<small.width).flatMap { x in plainMean(of: picture, x, y, factor) }
    }
    #expect(small.samples == expected)
  }

  @Test("The largest blocks of white stay white", arguments: 1...3)
  func largest(_ bands: Int) {
    let row = [UInt8](repeating: 255, count: 450 * bands)
    var averages = BlockAverages(
      width: 450, height: 410, bands: bands, weightsByAlpha: false, factor: 200,
      readsEveryRow: true)
    for _ in 0..<410 { row.withUnsafeBufferPointer { averages.add(row: $0.baseAddress!) } }
    #expect(averages.picture.samples == [UInt8](repeating: 255, count: 9 * bands))
  }

  /// Returns the mean of a block that may reach beyond the picture. In large blocks every other row counts.
  private func plainMean(of picture: SmallPicture, _ x: Int, _ y: Int, _ factor: Int) -> [UInt8] {
    let bands = picture.bands
    var sums = [Int](repeating: 0, count: bands)
    var (count, alphas) = (0, 0)
    for row in stride(from: y * factor, to: min(22, (y + 1) * factor), by: factor < 4 ? 1 : 2) {
      for column in x * factor..<min(31, (x + 1) * factor) {
        let pixel = picture.pixels[
          ((row * 31 + column) * bands)..<((row * 31 + column + 1) * bands)
        ]
        .map(Int.init)
        let alpha = picture.hasAlpha ? pixel[bands - 1] : 1
        for band in 0..<bands {
          let isAlpha = picture.hasAlpha && band == bands - 1
          sums[band] += pixel[band] * (isAlpha ? 1 : alpha)
        }
        count += 1
        alphas += alpha
      }
    }
    return (0..<bands).map { band in
      let weight = picture.hasAlpha && band == bands - 1 ? count : alphas
      return weight == 0 ? 0 : UInt8((sums[band] + weight / 2) / weight)
    }
  }
}
