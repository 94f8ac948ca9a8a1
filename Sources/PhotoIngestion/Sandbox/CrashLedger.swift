package import Foundation
public import SystemPackage

/// Remembers photos that crashed a decoder, so that they are not decoded again: a small file for
/// each, named by the photo's digest, with the digest of the code that crashed (`LoadedCode`).
/// After a library or the program has changed, the photo is tried again, whatever the version
/// number says.
///
/// `prune` keeps a record for 30 days, and of the newest `maxCount` photos: a photo that crashes once more is
/// recorded once more. Programs of other code may share the folder, so records say nothing to each other.
public struct CrashLedger: Sendable {
  /// The folder of the files, made when the first photo crashes.
  public var folder: FilePath

  /// How many photos are remembered, at most.
  static let maxCount = 1_000
  private static let secondsKept = 30 * 86_400.0

  /// The ledger in a folder.
  public init(folder: FilePath) { self.folder = folder }

  /// Whether the photo with this SHA-256 crashed this code. A record that cannot be read counts as none: the
  /// photo may crash once more.
  func hasCrashed(_ sha256: String, codeDigest: String) -> Bool {
    let options: FileDescriptor.OpenOptions = [.closeOnExec, .noFollow, .nonBlocking]
    guard let file = try? FileDescriptor.open(path(sha256), .readOnly, options: options) else {
      return false
    }
    defer { try? file.close() }
    var status = stat()
    guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return false
    }
    var text = [UInt8](repeating: 0, count: 64)
    let count = (try? text.withUnsafeMutableBytes { try file.read(into: $0) }) ?? 0
    return String(decoding: text[..<count], as: UTF8.self) == codeDigest
  }

  /// Remembers a photo. A failure only means that the photo may be tried, and crash, once more.
  func recordCrash(_ sha256: String, codeDigest: String) throws(Errno) {
    let made = folder.withPlatformString { mkdir($0, 0o700) }
    guard made == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
    let file = path(sha256).withPlatformString {
      open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    }
    guard file >= 0 else { throw Errno(rawValue: errno) }
    defer { close(file) }
    // A shorter write leaves a text that is no digest.
    guard write(file, codeDigest, codeDigest.utf8.count) >= 0 else { throw Errno(rawValue: errno) }
  }

  /// Deletes records that are too old, and all but the newest `maxCount`.
  ///
  /// - Parameters:
  ///   - names: what lies in the folder; what no record is called, and what is no file, stays.
  ///   - now: the moment to judge ages by.
  ///   - dryRun: only count.
  /// - Returns: how many files were deleted, and their bytes.
  @discardableResult
  package func prune(
    _ names: [String], at now: Date = Date(), dryRun: Bool = false
  ) throws(Errno) -> (files: Int, bytes: Int) {
    let names = names.filter { $0.utf8.count == 64 && $0.allSatisfy(\.isHexDigit) }
    if names.isEmpty { return (0, 0) }
    let folder = open(self.folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard folder >= 0 else { throw Errno(rawValue: errno) }
    defer { close(folder) }
    var records: [(name: String, modified: Double, bytes: Int)] = []
    for name in names {
      var status = stat()
      let isSeen = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      guard isSeen || errno == ENOENT else { throw Errno(rawValue: errno) }
      guard isSeen, status.st_mode & S_IFMT == S_IFREG else { continue }
      records.append((name, Double(status.st_mtim.tv_sec), Int(status.st_size)))
    }
    records.sort { $0.modified > $1.modified }
    var kept = 0
    let gone = records.filter { record in
      let isRecent = abs(now.timeIntervalSince1970 - record.modified) <= Self.secondsKept
      if isRecent { kept += 1 }
      return !isRecent || kept > Self.maxCount
    }
    for record in gone where !dryRun && unlinkat(folder, record.name, 0) != 0 && errno != ENOENT {
      throw Errno(rawValue: errno)
    }
    return (gone.count, gone.reduce(0) { $0 + $1.bytes })
  }

  private func path(_ sha256: String) -> FilePath { folder.appending(sha256) }
}
