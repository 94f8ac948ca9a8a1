package import Foundation
public import SystemPackage

/// Records photos that crashed a decoder, so that they are not decoded again. Each one has a small file that is named
/// by the photo's digest and contains the digest of the code that crashed (`LoadedCode`). The photo is
/// tried again after a library or the program has changed, even with an unchanged version number.
///
/// `prune` keeps records for 30 days and at most the newest `maxCount`. If a photo crashes again, it is recorded again.
/// Programs with different code may share the folder, and each ignores the records of the others.
public struct CrashLedger: Sendable {
  /// The folder that contains the files. It is created when the first photo crashes.
  public var folder: FilePath

  /// The maximum number of photos that are remembered.
  static let maxCount = 1_000
  private static let secondsKept = 30 * 86_400.0

  /// Creates a ledger in a folder.
  public init(folder: FilePath) { self.folder = folder }

  /// Returns `true` if the photo with this SHA-256 crashed this code. An unreadable record counts as missing, so the
  /// photo may crash again.
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

  /// Records a photo. If this fails, the photo may be tried, and crash, again.
  func recordCrash(_ sha256: String, codeDigest: String) throws(Errno) {
    let made = folder.withPlatformString { mkdir($0, 0o700) }
    guard made == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
    let file = path(sha256).withPlatformString {
      open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    }
    guard file >= 0 else { throw Errno(rawValue: errno) }
    defer { close(file) }
    // A short write leaves text that matches no digest.
    guard write(file, codeDigest, codeDigest.utf8.count) >= 0 else { throw Errno(rawValue: errno) }
  }

  /// Deletes records that are too old, and all but the newest `maxCount`.
  ///
  /// - Parameters:
  ///   - names: the names in the folder. Names that aren't digests, and anything that isn't a file, stay.
  ///   - now: the time to compare ages with.
  ///   - dryRun: `true` only counts the files.
  /// - Returns: the number of deleted files and their size in bytes.
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
