import Foundation
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("The cage holds")
struct EscapeAttemptTests {
  @Test("There are 24 ways to try") func count() {
    #expect(EscapeAttempt.allCases.count == 24)
  }

  @Test("No way leads out", arguments: EscapeAttempt.allCases)
  func escape(_ attempt: EscapeAttempt) throws {
    let database = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data("database".utf8).write(to: database)
    defer { try? FileManager.default.removeItem(at: database) }
    let end = try run(attempt, target: database.path)
    // Refused softly, or ended for trying.
    #expect(
      (end.reason == .exit && end.status == 0)
        || (end.reason == .uncaughtSignal && end.status == SIGSYS))
  }

  @Test(
    "Landlock holds files, network, signals and mounts without the filter",
    arguments: [
      .openFile, .openDatabase, .writeFile, .connect, .bind, .execute, .trace, .killParent, .mount,
    ] as [EscapeAttempt])
  func escapeFromLandlock(_ attempt: EscapeAttempt) throws {
    let end = try run(attempt, target: "/etc/hosts", options: ["--without-seccomp"])
    #expect(end.reason == .exit && end.status == 0)
  }

  private func run(
    _ attempt: EscapeAttempt, target: String, options: [String] = []
  ) throws -> (reason: Process.TerminationReason, status: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: Petspot.path)
    process.arguments =
      ["decode-worker", "--attack", attempt.rawValue, "--target", target] + options
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return (process.terminationReason, process.terminationStatus)
  }
}
