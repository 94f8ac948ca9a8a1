import Foundation
import Glibc
import PhotoIngestion
import TestPictures
import Testing

/// A process of the example `UploadHost`, which mounts `PhotoUploads` in Hummingbird. It ends with this object.
///
/// `@unchecked` because of `Process` and `Pipe`: only the test that created it, or `deinit`, ends the process.
final class UploadHost: LocalServer, @unchecked Sendable {
  let port: Int
  private let process = Process()

  /// Starts the example with a cache in a folder.
  init(_ folder: URL) throws {
    let output = Pipe()
    process.executableURL = URL(filePath: Petspot.beside("UploadHost"))
    process.arguments = [folder.path]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
      if byte.isEmpty { break }
      line += byte
    }
    let text = String(decoding: line, as: UTF8.self)
    port = try #require(text.split(separator: " ").last.flatMap { Int($0) }, "\(text)")
  }

  deinit { kill() }

  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

/// An empty folder that is deleted with this object.
final class HostFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: url) }
}

extension Data {
  /// The value of `Repr-Digest` for these bytes.
  var digestField: String {
    let hexadecimal = Array(sha256(of: Array(self)))
    let bytes = stride(from: 0, to: hexadecimal.count, by: 2).compactMap {
      UInt8(String(hexadecimal[$0..<$0 + 2]), radix: 16)
    }
    return "sha-256=:\(Data(bytes).base64EncodedString()):"
  }
}
