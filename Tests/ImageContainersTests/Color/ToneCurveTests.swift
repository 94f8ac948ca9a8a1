import Testing

@testable import ImageContainers

@Suite struct ToneCurveTests {
  private func read(_ data: [UInt8]) -> ToneCurve? { ToneCurve(data, in: 0..<data.count) }

  @Test(
    arguments: [
      (0, [2.0], 0.5, 0.25), (1, [2.0, 1.0, 0.5], 0.25, 0.5625), (1, [2.0, 1.0, -0.5], 0.25, 0.0),
      (2, [2.0, 1.0, -0.5, 0.125], 0.25, 0.125), (2, [2.0, 1.0, 0.0, 0.125], 0.5, 0.375),
      (3, [2.0, 1.0, 0.0, 0.5, 0.25], 0.125, 0.0625), (3, [2.0, 1.0, 0.0, 0.5, 0.25], 0.5, 0.25),
      (4, [2.0, 1.0, 0.0, 0.5, 0.25, 0.125, 0.0625], 0.125, 0.125),
      (4, [2.0, 1.0, 0.0, 0.5, 0.25, 0.125, 0.0625], 0.5, 0.375),
    ] as [(UInt8, [Double], Double, Double)])
  func parametricCurves(kind: UInt8, numbers: [Double], value: Double, light: Double) throws {
    let curve = try #require(read(ICCBuilder.parametric(kind, numbers)))
    #expect(abs(curve.light(value) - light) < 1e-9)
  }

  @Test func tablesAndGammas() throws {
    #expect(read(ICCBuilder.curve([]))?.light(0.3) == 0.3)
    #expect(read(ICCBuilder.curve([512]))?.light(0.5) == 0.25)
    let table = try #require(read(ICCBuilder.curve([0, 0, 65_535])))
    #expect(table.light(0.25) == 0)
    #expect(table.light(0.75) == 0.5)
    #expect(table.light(1) == 1)
  }

  @Test func refusesWhatDoesNotFit() {
    #expect(read([]) == nil)
    #expect(read(Array("text".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    #expect(read(Array("curv".utf8) + [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
    #expect(read(ICCBuilder.parametric(5, [1, 2, 3, 4, 5, 6, 7])) == nil)
    #expect(read(ICCBuilder.parametric(4, [1, 2])) == nil)
    #expect(read(ICCBuilder.parametric(1, [1, 0, 1])) == nil)
  }

  @Test func sRGBKnowsItself() {
    #expect(ToneCurve.sRGB.isSRGB)
    #expect(abs(ToneCurve.sRGB.light(0.5) - 0.214_041) < 1e-6)
    #expect(!ToneCurve.power(2.2).isSRGB)
    #expect(!ToneCurve.power(1).isSRGB)
  }
}
