import Testing

@testable import petspot

@Suite struct DrawingTests {
  @Test func twoPixelsShareACell() {
    let rgb: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]
    let lines = HalfBlocks.lines(width: 2, height: 2, rgb: rgb, colors: .full)
    #expect(
      lines == [
        "\u{1B}[38;2;255;0;0m\u{1B}[48;2;0;0;255m▀\u{1B}[38;2;0;255;0m\u{1B}[48;2;255;255;255m▀"
          + "\u{1B}[0m"
      ])
  }

  @Test func equalNeighboursAreNotColoredAgainAndOddHeightsEndOpen() {
    let lines = HalfBlocks.lines(
      width: 3, height: 1, rgb: Array(repeating: 7, count: 9), colors: .full)
    #expect(lines == ["\u{1B}[38;2;7;7;7m▀▀▀\u{1B}[0m"])
  }

  @Test func nothingIsDrawnWithoutColorsOrPixels() {
    #expect(HalfBlocks.lines(width: 1, height: 1, rgb: [1, 2, 3], colors: .none).isEmpty)
    #expect(HalfBlocks.lines(width: 2, height: 1, rgb: [1, 2, 3], colors: .full).isEmpty)
  }

  @Test(arguments: [
    (UInt8(0), UInt8(0), UInt8(0), 16), (255, 255, 255, 231), (255, 0, 0, 196), (0, 0, 255, 21),
    (128, 128, 128, 244), (8, 8, 8, 232), (95, 135, 175, 67),
  ])
  func nearestOfThePalette(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ index: Int) {
    #expect(HalfBlocks.index(red, green, blue) == index)
  }

  @Test(arguments: [
    (true, ["COLORTERM": "truecolor"], Terminal.Colors.full), (true, ["COLORTERM": "24bit"], .full),
    (true, [:], .indexed), (true, ["COLORTERM": "truecolor", "NO_COLOR": "1"], .none),
    (true, ["NO_COLOR": ""], .indexed), (true, ["TERM": "dumb"], .none),
    (false, ["COLORTERM": "truecolor"], .none),
  ])
  func colorsFollowTheEnvironment(
    _ isTerminal: Bool, _ environment: [String: String], _ colors: Terminal.Colors
  ) {
    let terminal = Terminal(isTerminal: isTerminal, environment: environment, window: nil)
    #expect(terminal.colors == colors)
    #expect(terminal.bold("x") == (colors == .none ? "x" : "\u{1B}[1mx\u{1B}[0m"))
  }

  @Test func widthComesFromEnvironmentThenWindow() {
    let window = (columns: 100, rows: 40)
    func columns(_ environment: [String: String], _ window: (columns: Int, rows: Int)?) -> Int {
      Terminal(isTerminal: true, environment: environment, window: window).columns
    }
    #expect(columns(["COLUMNS": "60"], window) == 60)
    #expect(columns(["COLUMNS": "-5"], window) == 100)
    #expect(columns([:], window) == 100)
    #expect(columns([:], nil) == 80)
  }
}
