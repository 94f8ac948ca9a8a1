import Foundation
import Glibc
import SystemPackage
import Synchronization
import Testing
import TestPictures
import TestStores

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite

/// A folder to import and a cache to import into, both deleted with this value.
final class ImportFolder: Sendable {
  let base: URL
  let photos: URL

  init() throws {
    base = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    photos = base.appending(path: "photos")
    try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: base) }

  func openCache(_ name: String = "cache") throws -> PhotoAttachmentCache {
    try PhotoAttachmentCache.opened(
      CacheFolder(path: base.appending(path: name).path), pool: WorkerPool(threadCount: 2))
  }

  /// Copies a test image, or writes bytes, below `photos`. The modification time is an hour ago, because fresh files
  /// count as still being written.
  @discardableResult
  func add(_ image: String, as name: String) throws -> URL {
    try add(Data(contentsOf: TestImage.folder.appending(path: image)), as: name)
  }

  @discardableResult
  func add(_ data: Data, as name: String) throws -> URL {
    let file = photos.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
    // A process that another test starts has this descriptor, too, until its exec, and an import skips files that are
    // open for writing.
    let open = OpenFile(Glibc.open(file.path, O_RDONLY | O_CLOEXEC))
    while open.isBeingWritten { usleep(1000) }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: file.path)
    return file
  }

  /// Imports `photos` (or other paths), and returns the reported files in order.
  func run(
    _ cache: PhotoAttachmentCache, paths: [URL]? = nil, policy: PhotoPolicy = .init(),
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> (summary: ImportSummary, files: [ImportedFile]) {
    var options = ImportOptions()
    change(&options)
    let told = Told()
    let importer = PhotoImporter(
      cache: cache, pipeline: PhotoPipeline(policy: policy, decoding: .inProcess), options: options)
    let summary = try await importer.importPhotos((paths ?? [photos]).map { FilePath($0.path) }) {
      file in
      told.add(file)
    }
    let files = told.files
    #expect(summary.files == files.count)
    #expect(
      summary.files == summary.imported + summary.duplicates + summary.unchanged
        + summary.skipped + summary.failed)
    return (summary, files)
  }

  func incoming(_ cache: PhotoAttachmentCache) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: cache.folder.path + "/incoming")
  }

  /// Three test images that are accepted and look different.
  static let pictures: [String] = ["jpeg", "png", "heic"].compactMap { format in
    TestImage.accepted.first { $0.format == format }?.file
  }

  private final class Told: Sendable {
    private let list = Mutex<[ImportedFile]>([])
    var files: [ImportedFile] { list.withLock { $0 } }
    func add(_ file: ImportedFile) { list.withLock { $0.append(file) } }
  }
}

extension ImportedFile {
  /// The outcome as one word.
  var word: String {
    switch outcome {
    case .imported: "imported"
    case .duplicate(_, let tier): "duplicate-\(tier.rawValue)"
    case .unchanged: "unchanged"
    case .skipped(let refusal): "skipped-\(refusal.code)"
    case .failed(let refusal): "failed-\(refusal.code)"
    }
  }

  var name: String { path.lastComponent?.string ?? "" }
}
