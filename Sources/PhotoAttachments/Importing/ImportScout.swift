import Foundation
import Glibc
import GRDB
import Synchronization
import SystemPackage
import PhotoIngestion

/// Goes ahead of the work: walks, knows what was seen before, and opens what has to be read.
final class ImportScout: Sendable {
  /// What the scout says of an entry.
  enum Report: Sendable {
    /// There is nothing to read.
    case settled(ImportFinding)
    /// To be read; it needs this much memory.
    case open(FoundFile, OpenFile, DecodeForecast)
  }

  /// Files that may be open ahead of the work.
  private static let openFiles = 16
  /// Entries that are looked up in one read transaction.
  private static let batch = 256

  private let walk: Mutex<FolderWalk>
  private let catalog: Catalog
  private let blobs: BlobStore
  private let options: ImportOptions

  init(
    _ paths: [FilePath], catalog: Catalog, blobs: BlobStore, options: ImportOptions
  ) {
    walk = Mutex(
      FolderWalk(
        paths, options: options, cache: blobs.folder,
        restores: options.deleteSource && !options.dryRun))
    (self.catalog, self.blobs, self.options) = (catalog, blobs, options)
  }

  /// The next entries in walking order; empty at the end. Blocks.
  func next() throws(PhotoError) -> [Report] {
    // Opened only after the transaction: a slow disk must not keep other processes from writing.
    try looked().map { look in
      switch look {
      case .settled(let finding): .settled(finding)
      case .unknown(let file, let wayIn): opened(file, wayIn)
      }
    }
  }

  /// An entry after it was looked up.
  private enum Look {
    case settled(ImportFinding)
    case unknown(FoundFile, WayIn)
  }

  private func looked() throws(PhotoError) -> [Look] {
    try walk.withLock { walk in
      Result { () throws(PhotoError) in
        try catalog.read { db in
          var looks: [Look] = []
          var unknown = 0
          while looks.count < Self.batch, unknown < Self.openFiles, let entry = walk.next() {
            let look = try look(at: entry, db)
            if case .unknown = look { unknown += 1 }
            looks.append(look)
          }
          return looks
        }
      }
    }.get()
  }

  private func look(at entry: WalkedEntry, _ db: Database) throws -> Look {
    switch entry {
    case .refused(let path, let refusal):
      return .settled(
        ImportFinding(
          path: .other(ImportedFile(path: path, sizeBytes: 0, outcome: refusal.outcome)),
          verdict: .refused(refusal)))
    case .file(let file, let wayIn):
      guard let (verdict, sha256) = try verdict(on: file, db) else {
        return .unknown(file, wayIn)
      }
      return .settled(ImportFinding(path: .file(file, sha256: sha256), verdict: verdict))
    }
  }

  private func opened(_ file: FoundFile, _ wayIn: WayIn) -> Report {
    do throws(PhotoError) {
      let open = try wayIn.open(file)
      guard !open.isBeingWritten else { return settled(file, .refused(.changing)) }
      let head = try open.read(min(file.identity.size, DecodeForecast.window))
      let name = file.path.lastComponent.map { Array($0.string.utf8) } ?? []
      if EntryFilter.mayBeAppleDouble(name), EntryFilter.isAppleDouble(head) {
        return settled(file, .refused(.systemFile(kind: "apple-double")))
      }
      let forecast = DecodeForecast(head: head, fileSize: file.identity.size)
      if forecast.isPhoto { open.prefetch() }
      return .open(file, open, forecast)
    } catch {
      return settled(
        file, .refused(error == .unreadable(.changed) ? .changing : .photo(error)))
    }
  }

  private func settled(_ file: FoundFile, _ verdict: ImportFinding.Verdict) -> Report {
    .settled(ImportFinding(path: .file(file, sha256: nil), verdict: verdict))
  }

  /// What is known of a file without reading it; nil when it has to be read.
  private func verdict(
    on file: FoundFile, _ db: Database
  ) throws -> (ImportFinding.Verdict, sha256: String?)? {
    if let row = try SourceFileRow.fetch(db, path: file.key), row.identity == file.identity {
      switch row.knowledge {
      case .photo(let id, _)? where try isStored(id, db):
        return (.told(.unchanged(id)), row.sha256)
      case .refused(let refusal)? where !options.retryRefused:
        return (.told(refusal.outcome), row.sha256)
      default: return nil
      }
    }
    guard let row = try SourceFileRow.fetch(db, identity: file.identity),
      case .photo(let id, let tier)? = row.knowledge, try isStored(id, db)
    else { return nil }
    // The same file under two names, or under a new one.
    return (stillExists(row) ? .duplicate(of: id, .bytes) : .moved(id, tier), row.sha256)
  }

  /// Whether a photo's blob is there; a file whose blob was lost is imported again.
  private func isStored(_ id: UUID, _ db: Database) throws -> Bool {
    try options.dryRun || PhotoRow.isStored(db, id: id, in: blobs)
  }

  private func stillExists(_ row: SourceFileRow) -> Bool {
    var status = stat()
    return Array(row.path).withPath { lstat($0, &status) } == 0
      && FileIdentity(status) == row.identity
  }
}
