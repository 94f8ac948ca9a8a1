import Foundation
import Glibc
import Synchronization
import SystemPackage
import PhotoIngestion

/// Runs ahead of the import. It walks, looks up which entries are already known, and opens the files that have to be
/// read.
final class ImportPrefetcher: Sendable {
  /// The result for an entry.
  enum Report: Sendable {
    /// The entry doesn't have to be read.
    case settled(ImportFinding)
    /// The file has to be read, which takes the forecast's memory. If its size is new, its bytes can't be known.
    case open(FoundFile, OpenFile, DecodeForecast, isNewSize: Bool)
  }

  /// The number of files that may be open ahead of the import.
  private static let few = 16
  /// The number of entries that are looked up together: `first` at the start, `some` while there are new ones among
  /// them, `many` while all are known.
  private static let first = 16
  private static let some = 64
  private static let many = 256

  /// The walk, and the entries that were looked up but not returned yet, in reverse order.
  private struct Lookahead {
    let walk: any EntryWalk
    var batch = ImportPrefetcher.first
    var waiting: [(entry: WalkedEntry, lookup: SourceLookup?)] = []
    /// The sizes of the batch that may be on record.
    var sizes: Set<Int> = []
    /// Sizes of the last batches. Files of these sizes may be in progress and not recorded yet.
    var recent: [Set<Int>] = []
  }

  private let ahead: Mutex<Lookahead>
  private let catalog: LibraryCatalog
  private let blobs: any BlobStorage
  private let folder: CacheFolder
  /// The size in bytes of the largest file that is imported.
  private let fileBytes: Int
  private let options: ImportOptions

  init(
    _ walk: sending any EntryWalk, in cache: PhotoAttachmentCache, catalog: LibraryCatalog,
    options: ImportOptions
  ) {
    ahead = Mutex(Lookahead(walk: walk))
    self.catalog = catalog
    blobs = cache.blobs
    self.options = options
    folder = cache.folder
    fileBytes = cache.policy.fileBytes
  }

  /// Returns the next entries in walk order. Empty at the end. Blocks.
  func next() throws(StoreError) -> [Report] {
    try StoreError.catching {
      try ahead.withLock { ahead in
        if ahead.waiting.isEmpty { try lookAhead(&ahead) }
        if ahead.walk.isRemote {
          let some = ahead.waiting.suffix(Self.few).reversed()
          let sizes = ahead.sizes
          ahead.waiting.removeLast(some.count)
          return try Array(some).concurrentMap { [self] next in
            try report(on: next.entry, next.lookup, sizes)
          }
        }
        var reports: [Report] = []
        var open = 0
        while open < Self.few, let (entry, lookup) = ahead.waiting.popLast() {
          let report = try report(on: entry, lookup, ahead.sizes)
          if case .open = report { open += 1 }
          reports.append(report)
        }
        return reports
      }
    }
  }

  private func lookAhead(_ ahead: inout Lookahead) throws(StoreError) {
    var entries: [WalkedEntry] = []
    while entries.count < ahead.batch, let entry = try ahead.walk.next() { entries.append(entry) }
    let files = entries.compactMap { entry -> (path: [UInt8], identity: FileIdentity)? in
      if case .file(let file, _) = entry { (file.key, file.identity) } else { nil }
    }
    let lookups = try catalog.lookups(of: files)
    let isAllKnown = !lookups.contains(nil)
    ahead.batch = isAllKnown ? Self.many : Self.some
    let sizes = files.map(\.identity.size)
    ahead.sizes = isAllKnown ? [] : try catalog.knownSizes(among: sizes)
    var seen = ahead.recent.reduce(into: Set()) { $0.formUnion($1) }
    ahead.sizes.formUnion(sizes.filter { !seen.insert($0).inserted })
    ahead.recent = ahead.recent.suffix(2) + [Set(sizes)]
    var next = lookups.makeIterator()
    ahead.waiting =
      entries.map { entry in
        if case .file = entry { (entry, next.next() ?? nil) } else { (entry, nil) }
      }.reversed()
  }

  private func report(
    on entry: WalkedEntry, _ lookup: SourceLookup?, _ sizes: Set<Int>
  ) throws(StoreError) -> Report {
    switch entry {
    case .refused(let path, let refusal):
      return .settled(
        ImportFinding(
          path: .other(ImportedFile(path: path, sizeBytes: 0, outcome: refusal.outcome)),
          verdict: .refused(refusal)))
    case .file(let file, let wayIn):
      // The blob of a known file that has to be read may be missing. The reader checks that.
      guard let lookup else {
        return try openFile(file, wayIn, isNewSize: !sizes.contains(file.identity.size))
      }
      guard let verdict = try verdict(on: lookup, file.key) else {
        return try openFile(file, wayIn, isNewSize: false)
      }
      return .settled(
        ImportFinding(path: .file(file, sha256: lookup.record.sha256), verdict: verdict))
    }
  }

  private func openFile(
    _ file: FoundFile, _ wayIn: FileAccess, isNewSize: Bool
  ) throws(StoreError) -> Report {
    var fetched: Result<OpenFile, PhotoError>?
    if case .object(let object) = wayIn {
      fetched = try object.open(file, in: folder, limit: fileBytes)
    }
    switch file.opened(by: wayIn, fetched) {
    case .open(let open, let forecast): return .open(file, open, forecast, isNewSize: isNewSize)
    case .refused(let refusal): return settled(file, .refused(refusal))
    }
  }

  private func settled(_ file: FoundFile, _ verdict: ImportFinding.Verdict) -> Report {
    .settled(ImportFinding(path: .file(file, sha256: nil), verdict: verdict))
  }

  /// Returns the verdict for a known file without reading it; `nil` if it has to be read.
  private func verdict(
    on lookup: SourceLookup, _ path: [UInt8]
  ) throws(StoreError) -> ImportFinding.Verdict? {
    switch lookup.record.knowledge {
    case .photo(let id, let tier)?:
      // A file whose blob is missing is imported again.
      if !options.dryRun {
        guard let blob = lookup.blob, try blobs.holds(blob) else { return nil }
      }
      if lookup.isSamePath { return .known(.unchanged(id)) }
      // The file has two names or a new one, or an import was about to remove it.
      return lookup.record.path != path && stillExists(lookup.record)
        ? .duplicate(of: id, .bytes) : .moved(id, tier)
    case .refused(let refusal)?:
      return lookup.isSamePath && !options.retriesRefused ? .known(refusal.outcome) : nil
    case nil: return nil
    }
  }

  /// Returns `true` if the recorded file still exists. Never `true` for objects, because their address is part of their
  /// identity.
  private func stillExists(_ record: SourceRecord) -> Bool {
    var status = stat()
    return record.path.withPath { lstat($0, &status) } == 0
      && FileIdentity(status) == record.identity
  }
}
