import Foundation
import PhotoAttachments
import SystemPackage
import ReportFlow

/// What `doctor` reports about the cache folder. It creates nothing: a folder that is not there yet is
/// judged by the nearest one above it.
struct CacheFolderReport {
  var path: FilePath
  var exists: Bool
  var isWritable: Bool
  /// Bytes an ordinary user may still write; nil when the system does not say.
  var freeBytes: Int?
  /// Why it would be refused although it may be written to.
  var distrust: StoreError?
  /// Why nothing can be written to it although its rights allow that.
  var failure: StoreError?

  /// Below this a 200-megapixel photo may not fit.
  static let enoughBytes = 1 << 30

  init(_ path: FilePath) {
    self.path = path
    var nearest = path
    distrust = CacheFolder(path: path.string).distrust
    exists = access(path.string, F_OK) == 0
    failure = Self.probe(path.string + "/incoming")
    while access(nearest.string, F_OK) != 0, nearest.removeLastComponent() {}
    if nearest.isEmpty { nearest = "." }
    var info = stat()
    let isFolder = stat(nearest.string, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    isWritable = isFolder && access(nearest.string, W_OK | X_OK) == 0
    freeBytes = SystemCalls.space(at: nearest.string)?.free
  }

  /// Writes some bytes to the disk, in a file that is gone at once.
  ///
  /// - Returns: why that failed; nil also while there is no such folder.
  private static func probe(_ folder: String) -> StoreError? {
    guard access(folder, W_OK | X_OK) == 0 else { return nil }
    do throws(StoreError) {
      let file = try SystemCalls.openNameless(in: folder)
      defer { close(file) }
      try SystemCalls.write([UInt8](repeating: 1, count: 4096), to: file, path: folder)
      try SystemCalls.sync(file, path: folder)
      return nil
    } catch {
      return error
    }
  }

  var json: JSON {
    [
      "path": .string(DisplayText.verbatim(path)), "exists": .bool(exists),
      "writable": .bool(isWritable), "freeBytes": freeBytes.map(JSON.int) ?? .null,
    ]
  }

  var lines: [String] {
    [
      L10n.words("doctor.folder") + DisplayText.path(path)
        + (exists ? "" : L10n.words("doctor.folderMissing")),
      L10n.words("doctor.free")
        + (freeBytes.map(Amounts.size) ?? L10n.words("doctor.freeUnknown")),
    ]
  }

  var problems: [MachineProblem] {
    var problems: [MachineProblem] = []
    if !isWritable {
      problems.append(
        .init(
          code: "cache-not-writable",
          fix: L10n.words("doctor.fix.folderNotWritable", ["path": DisplayText.path(path)])))
    }
    for error in [distrust, failure].compactMap(\.self) {
      problems.append(.init(code: error.code, fix: error.sentence(about: nil)))
    }
    if let freeBytes, freeBytes < Self.enoughBytes {
      problems.append(
        .init(
          code: "disk-nearly-full",
          fix: L10n.words(
            "doctor.fix.diskNearlyFull",
            ["freeBytes": Amounts.size(freeBytes), "enoughBytes": Amounts.size(Self.enoughBytes)])))
    }
    return problems
  }
}
