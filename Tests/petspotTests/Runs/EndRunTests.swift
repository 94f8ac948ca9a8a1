import Foundation
import Testing

/// Other threads still use libraries when the program ends, so the destructors of libraries must not run.
@Suite struct EndRunTests {
  @Test(arguments: [
    (0, ["attach", "one-pixel.gif"]), (65, ["import", "overlay-of-nothing.heic"]),
    (64, ["--nothing"]), (0, ["doctor"]), (0, ["status"]), (0, ["--version"]),
  ])
  func librariesDoNothingAtTheEnd(exitCode: Int, words: [String]) throws {
    let program = try Program()
    let arguments = words.map { $0.contains(".") ? Program.image($0) : $0 }
    // The log of the dynamic loader, one file per process (ld.so(8)).
    let log = program.work.appending(path: "loader")
    let run = try program.run(
      arguments, environment: ["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": log.path])
    #expect(Int(run.exitCode) == exitCode, "\(run.err)")
    let written = try FileManager.default
      .contentsOfDirectory(at: program.work, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("loader.") }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    #expect(written.contains("calling init: "))
    #expect(!written.contains("calling fini: "))
  }
}
