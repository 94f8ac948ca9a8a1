import Testing

@testable import ImageContainers

private typealias Build = ICCBuilder

@Suite struct SRGBConversionTests {
  private func converted(_ colors: [UInt8], from profile: [UInt8]) throws -> [UInt8] {
    let conversion = try #require(ICCProfile(profile)?.srgbConversion())
    var pixels = colors
    pixels.withUnsafeMutableBufferPointer {
      conversion.convert($0.baseAddress!, count: $0.count / 3)
    }
    return pixels
  }

  private func displayP3() throws -> [UInt8] {
    try #require(
      ICCProfile.matrixProfile(primaries: .displayP3, transfer: .sRGB, name: "Display P3"))
  }

  @Test func sRGBStaysWhatItIs() throws {
    let colors = (0...255 as ClosedRange<UInt8>).flatMap { [$0, 255 - $0, $0 &* 7] }
    let pixels = try converted(colors, from: Build.sRGB(curve: Build.exactCurve).profile)
    #expect(zip(colors, pixels).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test func graysStayGray() throws {
    for gray: UInt8 in [0, 1, 9, 10, 100, 128, 254, 255] {
      let pixels = try converted([gray, gray, gray], from: try displayP3())
      #expect(pixels.allSatisfy { abs(Int($0) - Int(gray)) <= 1 })
    }
  }

  /// The rows of the matrix from linear Display P3 to linear sRGB are 1.2249 −0.2247 0, −0.0420 1.0419 0, and −0.0197
  /// −0.0786 1.0979.
  @Test func colorsThatSRGBLacksAreClipped() throws {
    #expect(
      try converted([255, 0, 0, 0, 255, 0, 0, 0, 255], from: try displayP3()) == [
        255, 0, 0, 0, 255, 0, 0, 0, 255,
      ])
  }

  @Test func moderateColorsMoveAsTheMatrixSays() throws {
    // In linear light, 200 is 0.5776, 128 is 0.2159, and 50 is 0.0319. The matrix above gives the rest.
    let pixels = try converted([200, 128, 50], from: try displayP3())
    #expect(zip(pixels, [212, 124, 19]).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(pixels)")
  }

  @Test(arguments: [10, 12]) func deeperValuesGiveTheSameColors(_ bitDepth: Int) throws {
    let profile = try displayP3()
    let conversion = try #require(ICCProfile(profile)?.srgbConversion(bitDepth: bitDepth))
    let colors = (0..<4096).flatMap { index in
      [index & 15, index >> 4 & 15, index >> 8].map { UInt8($0 * 17) }
    }
    let full = Double(1 << bitDepth - 1)
    let deep = colors.map { UInt16((Double($0) * full / 255).rounded()) }
    var found = [UInt8](repeating: 0, count: deep.count)
    conversion.convert(deep, count: 4096, into: &found)
    let expected = try converted(colors, from: profile)
    let differences = zip(found, expected).map { abs(Int($0) - Int($1)) }
    #expect(differences.allSatisfy { $0 <= 1 }, "at most \(differences.max() ?? 0)")
  }

  @Test func onlyMatrixAndCurvesAreTaken() {
    var tables = Build.sRGB(curve: Build.exactCurve)
    tables.tags.append(("A2B0", [UInt8](repeating: 0, count: 32)))
    #expect(ICCProfile(tables.profile)?.srgbConversion() == nil)
    var gray = Build.sRGB(curve: Build.exactCurve)
    gray.colorSpace = "GRAY"
    #expect(ICCProfile(gray.profile)?.srgbConversion() == nil)
    var huge = Build.sRGB(curve: Build.exactCurve)
    huge.tags[1] = ("rXYZ", Build.xyz(30_000, 1, 1))
    #expect(ICCProfile(huge.profile)?.srgbConversion() == nil)
  }
}
