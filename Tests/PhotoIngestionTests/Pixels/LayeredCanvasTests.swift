import Testing

@testable import PhotoIngestion

@Suite("Pictures on top of each other")
struct LayeredCanvasTests {
  private func canvas(_ fill: [UInt8], _ layers: [(pixels: [UInt8], left: Int, top: Int)])
    -> [[UInt8]]
  {
    var canvas = LayeredCanvas(width: 3, height: 2, fill: fill)
    for layer in layers {
      let bands = layer.pixels.count / 4
      layer.pixels.withUnsafeBufferPointer {
        canvas.lay(
          $0.baseAddress!, width: 2, height: 2, bands: bands, left: layer.left, top: layer.top)
      }
    }
    return stride(from: 0, to: canvas.pixels.count, by: fill.count).map {
      Array(canvas.pixels[$0..<$0 + fill.count])
    }
  }

  /// Returns 2 by 2 pixels that all differ.
  private func layer(_ alpha: UInt8? = nil) -> [UInt8] {
    (1...4).flatMap { [UInt8($0 * 10), 0, 200] + (alpha.map { [$0] } ?? []) }
  }

  @Test("Parts outside the canvas are left out on any side")
  func places() {
    let fill: [UInt8] = [9, 9, 9]
    func reds(_ left: Int, _ top: Int) -> [UInt8] {
      canvas(fill, [(layer(), left, top)]).map { $0[0] }
    }
    #expect(reds(0, 0) == [10, 20, 9, 30, 40, 9])
    #expect(reds(1, 0) == [9, 10, 20, 9, 30, 40])
    #expect(reds(2, 1) == [9, 9, 9, 9, 9, 10])
    #expect(reds(-1, -1) == [40, 9, 9, 9, 9, 9])
    for place in [(3, 0), (-2, 0), (0, 2), (0, -2), (.max / 4, 0), (0, .min / 4)] {
      #expect(reds(place.0, place.1) == [9, 9, 9, 9, 9, 9])
    }
  }

  @Test("Alpha mixes with the layer below, and makes a transparent canvas less transparent")
  func alpha() {
    #expect(canvas([0, 100, 0], [(layer(0), 0, 0)])[0] == [0, 100, 0])
    #expect(canvas([0, 100, 0], [(layer(255), 0, 0)])[0] == [10, 0, 200])
    #expect(canvas([0, 100, 0], [(layer(51), 0, 0)])[0] == [2, 80, 40])
    #expect(canvas([9, 9, 9, 0], [(layer(), 0, 0)])[0] == [10, 0, 200, 255])
    #expect(canvas([9, 9, 9, 0], [(layer(51), 0, 0)])[0] == [10, 0, 200, 51])
    #expect(canvas([0, 100, 0, 51], [(layer(51), 0, 0)])[0] == [6, 44, 111, 92])
    #expect(canvas([9, 9, 9, 0], [(layer(0), 0, 0)])[5] == [9, 9, 9, 0])
  }
}
