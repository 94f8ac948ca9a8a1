import Glibc
public import SystemPackage

/// Remembers photos that crashed a decoder, so that they are not decoded again: a small file for
/// each, named by the photo's digest, with the digest of the code that crashed (`LoadedCode`).
/// After a library or the program has changed, the photo is tried again, whatever the version
/// number says.
public struct CrashLedger: Sendable {
  /// The folder of the files, made when the first photo crashes.
  public var folder: FilePath

  /// The ledger in a folder.
  public init(folder: FilePath) { self.folder = folder }

  /// Whether the photo with this SHA-256 crashed this code.
  func hasCrashed(_ sha256: String, codeDigest: String) -> Bool {
    guard let file = try? FileDescriptor.open(path(sha256), .readOnly, options: .closeOnExec) else {
      return false
    }
    defer { try? file.close() }
    var text = [UInt8](repeating: 0, count: 64)
    let count = (try? text.withUnsafeMutableBytes { try file.read(into: $0) }) ?? 0
    return String(decoding: text[..<count], as: UTF8.self) == codeDigest
  }

  /// Remembers a photo. A failure only means that the photo may be tried, and crash, once more.
  func recordCrash(_ sha256: String, codeDigest: String) throws(Errno) {
    let made = folder.withPlatformString { mkdir($0, 0o700) }
    guard made == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
    let file = path(sha256).withPlatformString {
      open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    }
    guard file >= 0 else { throw Errno(rawValue: errno) }
    defer { close(file) }
    // A shorter write leaves a text that is no digest.
    guard write(file, codeDigest, codeDigest.utf8.count) >= 0 else { throw Errno(rawValue: errno) }
  }

  private func path(_ sha256: String) -> FilePath { folder.appending(sha256) }
}
