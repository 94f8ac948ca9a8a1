package import Foundation
public import SystemPackage

/// Remembers photos that crashed a decoder, so that they are not decoded again: a small file for
/// each, named by the photo's digest, with the digest of the code that crashed (`LoadedCode`).
/// After a library or the program has changed, the photo is tried again, whatever the version
/// number says.
///
/// A record is kept for 30 days, and of the newest `maxCount` photos: a photo that crashes once more is
/// recorded once more.
public struct CrashLedger: Sendable {
  /// The folder of the files, made when the first photo crashes.
  public var folder: FilePath

  /// How many photos are remembered, at most.
  static let maxCount = 1_000
  private static let secondsKept = 30 * 86_400.0

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
    prune(codeDigest: codeDigest)
  }

  /// Deletes records that are too old, all but the newest `maxCount`, and those of other code.
  ///
  /// - Parameters:
  ///   - codeDigest: the code that decodes now; nil when it is not known, and all code counts.
  ///   - now: the moment to judge ages by.
  ///   - dryRun: only count.
  /// - Returns: how many files were deleted, and their bytes.
  @discardableResult
  package func prune(
    codeDigest: String? = nil, at now: Date = Date(), dryRun: Bool = false
  ) -> (files: Int, bytes: Int) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
    let records = names.compactMap { name -> (name: String, modified: Double, bytes: Int)? in
      var status = stat()
      guard lstat(folder.appending(name).string, &status) == 0, status.st_mode & S_IFMT == S_IFREG
      else { return nil }
      return (name, Double(status.st_mtim.tv_sec), Int(status.st_size))
    }.sorted { $0.modified > $1.modified }
    var gone = (files: 0, bytes: 0)
    var kept = 0
    for record in records {
      let isOld = abs(now.timeIntervalSince1970 - record.modified) > Self.secondsKept
      let isOther = codeDigest.map { !hasCrashed(record.name, codeDigest: $0) } ?? false
      if !isOld, !isOther, kept < Self.maxCount {
        kept += 1
      } else if dryRun || unlink(folder.appending(record.name).string) == 0 {
        gone = (gone.files + 1, gone.bytes + record.bytes)
      }
    }
    return gone
  }

  private func path(_ sha256: String) -> FilePath { folder.appending(sha256) }
}
