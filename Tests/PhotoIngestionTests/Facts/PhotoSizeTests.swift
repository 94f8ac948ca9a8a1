import PhotoIngestion
import Testing

@Suite("PhotoSize: the ladder")
struct PhotoSizeTests {
  private func described(_ width: Int, _ height: Int) -> [String] {
    PhotoSize.ladder(width: width, height: height).map { "\($0.maxSide): \($0.width)x\($0.height)" }
  }

  @Test(
    "Sizes are those up to 0.9 of the picture, and the picture itself under the next larger number",
    arguments: [
      (
        4000, 3000,
        ["320: 320x240", "640: 640x480", "960: 960x720", "1280: 1280x960", "1920: 1920x1440"]
      ),
      (
        3000, 4000,
        ["320: 240x320", "640: 480x640", "960: 720x960", "1280: 960x1280", "1920: 1440x1920"]
      ),
      (
        1900, 950,
        ["320: 320x160", "640: 640x320", "960: 960x480", "1280: 1280x640", "1920: 1900x950"]
      ),
      (1400, 1400, ["320: 320x320", "640: 640x640", "960: 960x960", "1920: 1400x1400"]),
      (1000, 500, ["320: 320x160", "640: 640x320", "1280: 1000x500"]),
      (650, 3, ["320: 320x1", "960: 650x3"]),
      (640, 480, ["320: 320x240", "640: 640x480"]), (321, 200, ["640: 321x200"]),
      (356, 356, ["320: 320x320", "640: 356x356"]), (355, 355, ["640: 355x355"]),
      (200, 100, ["320: 200x100"]), (1, 1, ["320: 1x1"]),
      (
        20_000, 3,
        [
          "320: 320x1", "640: 640x1", "960: 960x1", "1280: 1280x1", "1920: 1920x1",
        ]
      ),
    ])
  func ladder(_ width: Int, _ height: Int, _ expected: [String]) {
    #expect(described(width, height) == expected)
  }

  @Test("Each size is at most as large as the picture, whatever its sides")
  func neverLarger() {
    for width in stride(from: 1, to: 4000, by: 37) {
      for height in [1, 2, width / 3 + 1, width, 2 * width + 1] {
        let ladder = PhotoSize.ladder(width: width, height: height)
        #expect(ladder.allSatisfy { 1...width ~= $0.width && 1...height ~= $0.height })
        #expect(Set(ladder.map(\.maxSide)).count == ladder.count)
        #expect(ladder.allSatisfy { max($0.width, $0.height) <= $0.maxSide })
      }
    }
  }
}
