import Foundation
import Testing

/// The built program, run as a person runs it, with a cache of its own.
struct Program: ~Copyable {
  let cache: URL

  init() throws {
    cache = FileManager.default.temporaryDirectory.appending(path: "petspot-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: cache) }

  /// What a run ended with.
  struct Outcome {
    var exitCode: Int32
    var out: String
    var err: String

    /// The single JSON object of standard output.
    var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(out.utf8))) as? [String: Any] ?? [:]
    }
  }

  func run(_ arguments: String..., input: Data = Data()) throws -> Outcome {
    try run(arguments, input: input)
  }

  func run(_ arguments: [String], input: Data = Data()) throws -> Outcome {
    let files = ["in", "out", "err"].map { cache.appending(path: "." + $0 + UUID().uuidString) }
    try input.write(to: files[0])
    for file in files[1...] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    process.environment = ["PETSPOT_CACHE": cache.path, "PATH": "/usr/bin:/bin", "TZ": "UTC"]
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    try process.run()
    process.waitUntilExit()
    return Outcome(
      exitCode: process.terminationStatus,
      out: try String(contentsOf: files[1], encoding: .utf8),
      err: try String(contentsOf: files[2], encoding: .utf8))
  }

  /// A file of the project's own test images.
  static func image(_ name: String) -> String { root.appending(path: "TestImages/\(name)").path }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The program lies beside the test bundle.
  static let executable = Bundle.main.bundleURL.appending(path: "petspot")
}
