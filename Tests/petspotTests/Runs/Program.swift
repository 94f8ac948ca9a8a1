import Foundation
import Testing

/// The built program with a cache of its own.
struct Program: ~Copyable {
  /// The folder for photos, which the first run creates.
  let cache: URL
  /// A folder for other files of the test.
  let work: URL

  init() throws {
    work = FileManager.default.temporaryDirectory.appending(path: "petspot-\(UUID().uuidString)")
    cache = work.appending(path: "cache")
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: work) }

  /// The result of a run.
  struct Outcome {
    var exitCode: Int32
    var out: String
    var err: String

    /// The only JSON object on standard output.
    var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(out.utf8))) as? [String: Any] ?? [:]
    }
  }

  func run(
    _ arguments: String..., input: Data = Data(), environment: [String: String] = [:]
  ) throws -> Outcome {
    try start([Self.executable.path] + arguments, input: input, environment: environment).outcome()
  }

  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    try start([Self.executable.path] + arguments, environment: environment).outcome()
  }

  /// Runs a shell script in which `$petspot` is the program. For names that aren't text, and for running as another
  /// user.
  func run(script: String) throws -> Outcome {
    try start(["/bin/sh", "-c", script], environment: ["petspot": Self.executable.path]).outcome()
  }

  /// Starts the program, to observe it while it runs.
  func start(_ arguments: String..., environment: [String: String] = [:]) throws -> Running {
    try start([Self.executable.path] + arguments, environment: environment)
  }

  private func start(
    _ command: [String], input: Data = Data(), environment: [String: String] = [:]
  ) throws -> Running {
    let files = ["in", "out", "err"].map { work.appending(path: $0 + UUID().uuidString) }
    try input.write(to: files[0])
    for file in files[1...] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = [
      "PETSPOT_CACHE": cache.path, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TZ": "UTC",
    ].merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    try process.run()
    return Running(process: process, out: files[1], err: files[2])
  }

  /// A program that was started. Get the outcome on the thread that started it, because Foundation's `Process` can hang
  /// on another.
  struct Running {
    let process: Process
    fileprivate let out: URL
    fileprivate let err: URL

    func outcome() throws -> Outcome {
      process.waitUntilExit()
      return Outcome(
        exitCode: process.terminationStatus, out: try String(contentsOf: out, encoding: .utf8),
        err: try String(contentsOf: err, encoding: .utf8))
    }
  }

  /// Returns the path of one of the project's test images.
  static func image(_ name: String) -> String { root.appending(path: "TestImages/\(name)").path }

  /// The root folder of the project.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The program is beside the test bundle.
  static let executable = Bundle.main.bundleURL.appending(path: "petspot")
}
