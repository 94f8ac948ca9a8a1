import Testing

@testable import ImageContainers

@Suite struct HEVCUnitTests {
  private func startCode(_ bytes: [UInt8]) -> Int? {
    HEVCUnit.startCode(in: 0..<bytes.count, of: bytes)
  }

  @Test func soundUnits() {
    for unit: [UInt8] in [
      [], [0], [0, 0], [1, 2, 3], [0, 1, 0, 1, 0, 2], [9, 0, 0, 3, 0, 7], [9, 0, 0, 3, 3],
      [9, 0, 0, 3], [0, 0, 4], [5, 0, 0, 3, 0, 0, 3, 1], [0, 0, 255, 0, 0, 128],
    ] {
      #expect(startCode(unit) == nil, "\(unit)")
    }
  }

  @Test func brokenUnits() {
    for (unit, place): ([UInt8], Int) in [
      ([0, 0, 0], 0), ([7, 0, 0, 1], 1), ([7, 7, 0, 0, 2, 9], 2), ([0, 0, 3, 4], 0),
      ([8, 8, 8, 8, 0, 0, 0, 0, 0], 4), ([0, 0, 3, 0, 0, 0], 3), ([1, 0, 0, 3, 9], 1),
    ] {
      #expect(startCode(unit) == place, "\(unit)")
    }
  }

  @Test func zerosAnywhereAreFound() {
    // No other byte can be part of a start code.
    let sound = (0..<200).map { UInt8($0 % 250 + 4) }
    for start in 0...197 {
      var unit = sound
      for place in start..<start + 3 { unit[place] = 0 }
      #expect(startCode(unit) == start)
    }
  }

  @Test func onlyTheUnitItselfCounts() {
    #expect(HEVCUnit.startCode(in: 1..<4, of: [0, 0, 0, 9, 0, 0]) == nil)
    #expect(HEVCUnit.startCode(in: 2..<4, of: [0, 0, 0, 1, 0, 0]) == nil)
  }
}
