import Foundation
import Testing
import TestPictures

@Suite("The sandbox holds")
struct EscapeAttemptTests {
  /// Those of `EscapeAttempt`.
  static let attempts = [
    "open-file", "open-database", "write-file", "connect", "bind", "execute", "trace",
    "kill-parent", "mount", "set-user", "io-uring", "execute-memory", "limit-processor",
    "limit-memory", "limit-old", "limit-parent", "ignore-limit", "scheduler", "affinity",
    "priority", "io-priority", "timer", "dumpable", "namespace",
  ]

  @Test("No way leads out", arguments: attempts)
  func escape(_ attempt: String) throws {
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
      "open-file", "open-database", "write-file", "connect", "bind", "execute", "trace",
      "kill-parent", "mount",
    ])
  func escapeFromLandlock(_ attempt: String) throws {
    let end = try run(attempt, target: "/etc/hosts", options: ["--without-seccomp"])
    #expect(end.reason == .exit && end.status == 0)
  }

  private func run(
    _ attempt: String, target: String, options: [String] = []
  ) throws -> (reason: Process.TerminationReason, status: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: Petspot.beside("HostileDecoder"))
    process.arguments = ["--attack", attempt, target] + options
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return (process.terminationReason, process.terminationStatus)
  }
}
