import Foundation
import Testing
import TestPictures

@Suite("The sandbox holds")
struct EscapeAttemptTests {
  /// The raw values of `EscapeAttempt`.
  static let attempts = [
    "open-file", "open-database", "write-file", "connect", "bind", "execute", "trace",
    "kill-parent", "mount", "set-user", "io-uring", "execute-memory", "limit-processor",
    "limit-memory", "limit-old", "limit-parent", "ignore-limit", "scheduler", "affinity",
    "priority", "io-priority", "timer", "dumpable", "namespace",
  ]

  @Test("Every attempt to escape fails", arguments: attempts)
  func escape(_ attempt: String) throws {
    let database = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data("database".utf8).write(to: database)
    defer { try? FileManager.default.removeItem(at: database) }
    let end = try run(attempt, target: database.path)
    // The attempt was refused, or the process was ended for trying.
    #expect(
      (end.reason == .exit && end.status == 0)
        || (end.reason == .uncaughtSignal && end.status == SIGSYS))
  }

  @Test(
    "Without the filter, Landlock alone protects files, network, signals and mounts",
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
