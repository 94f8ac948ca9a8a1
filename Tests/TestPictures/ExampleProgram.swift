package import Foundation

/// A program of `Tests/Examples`, run in a folder of its own that contains `rex.heic`.
package final class ExampleProgram {
  /// The folder, which is deleted with this value.
  package let folder = FileManager.default.temporaryDirectory
    .appending(path: "petspot-example-\(UUID().uuidString)")
  private let executable: URL

  /// - Parameter picture: the name of the file in `TestImages` to copy to `rex.heic`.
  package init(_ name: String, picture: String = "portrait-phone.heic") throws {
    executable = URL(filePath: Petspot.beside(name))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: TestImage.folder.appending(path: picture), to: folder.appending(path: "rex.heic"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Runs the program to its end.
  ///
  /// - Parameter environment: the program's environment, or `nil` for that of this process.
  /// - Returns: the exit code and the standard output.
  package func run(
    _ arguments: String..., environment: [String: String]? = nil
  ) throws -> (exitCode: Int32, out: String) {
    let out = folder.appending(path: "out")
    try Data().write(to: out)
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    if let environment { process.environment = environment }
    process.standardOutput = try FileHandle(forWritingTo: out)
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: out, encoding: .utf8))
  }
}
