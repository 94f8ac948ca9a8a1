import Foundation
import Testing

/// A lack of resources is reported as such, and never crashes the program.
@Suite struct LimitsRunTests {
  private let photo = Program.image("gps-exif.jpg")

  @Test(arguments: [4, 5, 6, 9, 20], ["status", "attach", "import"])
  func descriptors(_ limit: Int, _ command: String) throws {
    let program = try Program()
    let file = command == "status" ? "" : "'\(photo)'"
    let outcome = try program.run(script: "ulimit -n \(limit); $petspot \(command) \(file) --json")
    #expect(outcome.exitCode == 75, "\(outcome.err)")
    #expect(outcome.err.contains("ulimit -n"), "\(outcome.err)")
    #expect((outcome.json["error"] as? [String: Any])?["code"] as? String == "shortage")
  }

  @Test func aSoftLimitIsRaised() throws {
    let program = try Program()
    let outcome = try program.run(script: "ulimit -Sn 6; $petspot attach '\(photo)'")
    #expect(outcome.exitCode == 0, "\(outcome.err)")
  }

  @Test(arguments: [1, 4, 16, 64], ["attach", "import"])
  func aLimitOnFilesIsToldAsAFullDisk(_ kibibytes: Int, _ command: String) throws {
    let program = try Program()
    // The output goes through a pipe because the limit would apply to an output file as well.
    let outcome = try program.run(
      script:
        "(ulimit -f \(kibibytes * 2); $petspot \(command) '\(photo)' --json; echo $? >&2) 2>&1 | cat"
    )
    #expect(outcome.out.hasSuffix("\n74\n"), "\(outcome.out)")
    #expect(outcome.out.contains(#""code":"storage-full""#), "\(outcome.out)")
    #expect(outcome.out.contains("ulimit -f"), "\(outcome.out)")
  }

  @Test func aSmallStackIsEnough() throws {
    let program = try Program()
    let outcome = try program.run(script: "ulimit -s 256; $petspot attach '\(photo)'")
    #expect(outcome.exitCode == 0, "\(outcome.err)")
  }

  /// The stack that the libraries need before the program's own code runs depends on the processor, because the loader
  /// saves all its registers. With less, the system kills the program or its decoder.
  @Test(arguments: Array(stride(from: 56, through: 84, by: 4)))
  func aTinyStackIsToldAsOne(_ kibibytes: Int) throws {
    let program = try Program()
    let outcome = try program.run(script: "ulimit -s \(kibibytes); $petspot attach '\(photo)'")
    guard ![0, 128 + SIGSEGV].contains(outcome.exitCode) else { return }
    #expect(outcome.exitCode == 69, "\(outcome.err)")
    #expect(outcome.err.contains("ulimit -s"), "\(outcome.err)")
  }

  @Test(arguments: [4_000_000, 2_000_000])
  func lessMemoryIsEnoughForASmallPhoto(_ kibibytes: Int) throws {
    let program = try Program()
    let outcome = try program.run(script: "ulimit -v \(kibibytes); $petspot attach '\(photo)'")
    #expect(outcome.exitCode == 0, "\(outcome.err)")
  }

  @Test(arguments: [("en", "66 KB"), ("pl", "66 kB")], [1, 2])
  func aLineWithoutEnd(_ language: (code: String, limit: String), _ lines: Int) throws {
    let program = try Program()
    let line = Data(repeating: UInt8(ascii: "7"), count: 300_000_000)
    let input = Data(repeating: UInt8(ascii: "\n"), count: lines - 1) + line
    let start = ContinuousClock.now
    let outcome = try program.run("report", "--lang", language.code, input: input)
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(outcome.exitCode == 65, "\(outcome.err)")
    #expect(outcome.err.contains(language.limit), "\(outcome.err)")
  }
}
