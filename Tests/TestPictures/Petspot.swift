import Foundation

/// The built executable, which is its own worker.
package enum Petspot {
  package static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "petspot").path
}
