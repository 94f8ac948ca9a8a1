import Foundation
import Glibc
import ImageContainers
import Synchronization
public import PhotoIngestion

/// Checks what a cache contains: every record against its seal, every blob and preview against its
/// name and its record, and (`VerifyOptions.all`) every file against its name and every entry of
/// the catalog against what it refers to.
///
/// It may run beside everything else. What it finds without a lock is looked at once more in a write
/// transaction, in which no process records, deletes or names a picture, before it is reported or moved: a
/// photo that was removed meanwhile is no finding. Damaged files go to `quarantine/`, so that they
/// are never served and equal photos are stored anew; nothing is deleted but, in a repair, a blob in
/// whose place another one was made. Memory holds one page of records, and what was found.
public struct PhotoVerifier: Sendable {
  let cache: PhotoAttachmentCache
  let pipeline: PhotoPipeline
  let options: VerifyOptions
  let seen = SeenPictures()

  /// A verifier of one cache.
  ///
  /// - Parameters:
  ///   - cache: what is verified.
  ///   - pipeline: prepares originals once more to repair.
  ///   - options: how much is looked at, and whether it is repaired.
  public init(
    cache: PhotoAttachmentCache, pipeline: PhotoPipeline, options: VerifyOptions = .init()
  ) {
    self.cache = cache
    self.pipeline = pipeline
    self.options = options
  }

  /// Something on record, or a file, with what is wrong with it.
  struct Damage: Sendable {
    var subject: Subject
    var findings: [VerifyReport.Finding]

    init(subject: Subject, findings: [VerifyReport.Finding]) {
      self.subject = subject
      self.findings = findings
    }

    /// What a catalog found among its entries.
    init(_ damage: EntryDamage) {
      var draft: String?
      if case .attachment(let name) = damage.entry { draft = name }
      self.init(
        subject: .entry(damage.entry),
        findings: [.init(photo: damage.photo, draft: draft, problem: damage.problem)])
    }
  }

  enum Subject: Sendable, Equatable {
    case photo(sequence: Int64)
    case file(BlobPath)
    /// A folder of pictures that cannot be read.
    case folder
    /// An entry of the catalog that points at nothing or contradicts another one.
    case entry(CatalogEntry)
  }

  /// Verifies, and repairs when asked to.
  ///
  /// - Parameter onFinding: called with every finding; when repairing, after the try.
  /// - Throws: `StoreError.database(.damaged)` when the catalog's file is (nothing is changed then);
  ///   `.cancelled`; storage and catalog errors; what `onFinding` throws.
  public func run(
    onFinding: @escaping @Sendable (VerifyReport.Finding) throws -> Void = { _ in }
  ) async throws(StoreError) -> VerifyReport {
    let ledger = VerifyLedger(repairs: options.repairs, onFinding: onFinding)
    seen.reset(earlier: try cache.blobs.list(.quarantine))
    if options.all { try await cache.run { try cache.catalog.checkIntegrity() } }
    try await provePhotos(ledger)
    if options.all, options.shard.isFirst {
      for damage in try await cache.run({ try cache.catalog.damages() }) {
        try ledger.note(Damage(damage))
      }
    }
    if options.all { try await proveUnrecorded(ledger) }
    if options.repairs {
      try await repair(ledger)
      if options.shard.isFirst { try await endAbandoned() }
    }
    if options.all { try await countRubbish(&ledger.report) }
    ledger.report.quarantined = seen.movedCount
    return ledger.report
  }

  // MARK: - Photos on record

  private func provePhotos(_ ledger: VerifyLedger) async throws(StoreError) {
    var last: Int64 = 0
    while true {
      let start = last
      let page = try await cache.run {
        try cache.catalog.page(after: start, limit: 64, attachedOnly: !options.all)
      }
      guard let end = page.last?.sequence else { return }
      last = end
      let photos = page.filter { options.shard.contains($0.place(.blob)?.sha256 ?? "") }
      ledger.report.checked += photos.count
      for sequence in try await suspects(among: photos) {
        let found = try await lock { locked in
          try damage(sequence: sequence, locked)
        }
        if let found { try ledger.note(found) }
      }
    }
  }

  /// Those that do not prove at first sight. Looked at side by side, as far as the pool's threads go.
  private func suspects(among photos: [SealedRecord]) async throws(StoreError) -> [Int64] {
    let results = await withTaskGroup(of: Result<Int64?, StoreError>.self) { group in
      for photo in photos {
        group.addTask {
          do throws(StoreError) {
            return .success(
              try await cache.run { try isProved(photo) } ? nil : photo.sequence)
          } catch { return .failure(error) }
        }
      }
      var results: [Result<Int64?, StoreError>] = []
      for await result in group { results.append(result) }
      return results
    }
    var suspects: [Int64] = []
    for result in results {
      if let sequence = try result.get() { suspects.append(sequence) }
    }
    return suspects.sorted()
  }

  private func isProved(_ photo: SealedRecord) throws(StoreError) -> Bool {
    guard photo.isSealed, photo.isPossible else { return false }
    for kind in BlobPath.Kind.ofRecords {
      guard let place = photo.place(kind), photo.agrees(with: try look(at: place), kind) else {
        return false
      }
    }
    return true
  }

  /// Reads a file and compares it with its name.
  func look(at place: BlobPath) throws(StoreError) -> StoredFile {
    do throws(StoreError) {
      let file = try cache.blobs.look(at: place, limits: cache.policy.limits)
      seen.give(place)
      return file
    } catch {
      try seen.refuse(place, error)
      return .unavailable
    }
  }

  /// What is wrong with a photo; nil when it is gone by now, or whole.
  private func damage(
    sequence: Int64, _ locked: LockedRecords
  ) throws(StoreError) -> Damage? {
    guard let photo = try locked.photo(sequence: sequence) else { return nil }
    var findings: [VerifyReport.Finding] = []
    let isAltered = !photo.isSealed || !photo.isPossible
    if isAltered {
      let path = photo.place(.blob)?.relativePath
      findings.append(.init(photo: photo.id, path: path, problem: .record))
    }
    for kind in BlobPath.Kind.ofRecords {
      guard let place = photo.place(kind) else { continue }
      guard var finding = try finding(at: place, recorded: photo, locked) else { continue }
      // What an altered record says of files is worth nothing: it may name one that never was. That
      // it was altered is reported once, for the record.
      if isAltered, finding.problem == .record { continue }
      if isAltered, finding.problem == .missing, finding.quarantined == nil { continue }
      finding.photo = photo.id
      findings.append(finding)
    }
    return findings.isEmpty
      ? nil : Damage(subject: .photo(sequence: sequence), findings: findings)
  }

  /// What is wrong with the file at a place; a damaged one is moved away.
  ///
  /// - Parameter photo: the record it has to agree with, nil when it has none.
  func finding(
    at place: BlobPath, recorded photo: SealedRecord?, _ locked: LockedRecords
  ) throws(StoreError) -> VerifyReport.Finding? {
    if let answer = seen.answer(for: place) {
      return .init(path: place.relativePath, problem: .unavailable, answer: answer)
    }
    let found = try? cache.blobs.found(at: place, quickly: false)
    let identity = found?.identity
    let file = try look(at: place)
    var finding = VerifyReport.Finding(path: place.relativePath, problem: .missing)
    switch file {
    // A link, a folder or a FIFO may be someone's. A repair moves it aside, as damaged files are, if a record
    // needs its place.
    case .missing where found?.isOther ?? false, .unreadable where found?.isOther ?? false:
      finding.problem = .unreadable
      if options.repairs, photo != nil {
        finding.quarantined = try quarantine(place, identity, .unreadable, holds: nil)
      }
    case .sound:
      guard let photo, !photo.agrees(with: file, place.kind) else { return nil }
      finding.problem = .record
    case .unsound(let problem):
      if photo == nil, place.kind != .size { return nil }
      finding.problem = problem
      // In its place it is made again.
      if photo == nil { finding.quarantined = try quarantine(place, identity, problem, holds: nil) }
    case .missing:
      if photo == nil { return nil }
      let moved = seen.moved(from: place)
      finding.problem = moved.problem ?? .missing
      finding.quarantined = moved.path
    case .unavailable:
      finding.problem = .unavailable
      finding.answer = seen.answer(for: place)
    // A file that can't be read may be whole. It stays until a repair has another copy of the picture.
    case .unreadable: finding.problem = .unreadable
    case .other(let digest, let size):
      let recordedSize = photo?.size(place.kind)
      finding.problem =
        try locked.isReferenced(digest: digest)
        ? .swapped : recordedSize.map { $0 != size } ?? false ? .size : .digest
      finding.quarantined = try quarantine(place, identity, finding.problem, holds: digest)
    }
    return finding
  }

  private func quarantine(
    _ place: BlobPath, _ identity: FileIdentity?, _ problem: StoreProblem, holds: String?
  ) throws(StoreError) -> String? {
    guard !options.dryRun, let identity else { return nil }
    let path = try cache.blobs.quarantine(place, identity, problem: problem, holds: holds)
    if let path { seen.move(place, problem, path) }
    return path
  }

  /// Runs `work` while no other process records, deletes or names a picture; in a dry run only while
  /// no process records.
  func lock<T: Sendable>(
    _ work: @escaping @Sendable (LockedRecords) throws -> T
  ) async throws(StoreError) -> T {
    try await cache.threads.finish {
      try cache.catalog.lock(dryRun: options.dryRun, work)
    }
  }
}
