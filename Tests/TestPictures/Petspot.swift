import Foundation

/// The built executable, which is its own worker.
package enum Petspot {
  package static let path = beside("petspot")

  /// A program that was built with the tests.
  package static func beside(_ name: String) -> String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
  }
}
