import Foundation
import Glibc
import ImageContainers
import Synchronization
public import PhotoIngestion

/// Verifies the contents of a cache: every record against its seal (a digest of its fields), and every blob and preview
/// against its name and its record. With `VerifyOptions.all`, also every file against its name, and every catalog entry
/// against the item it refers to.
///
/// It may run alongside all other work. Damage that is found without a lock is checked again in a write transaction, in
/// which no process records, deletes or names a picture. Only then is it reported or moved, so that a photo that was
/// removed meanwhile is not a finding.
///
/// Damaged files are moved to `quarantine/`, so that they are never served and equal photos can be stored again.
/// Only pictures that a repair replaced are deleted. Memory holds one page of records and the findings.
public struct PhotoVerifier: Sendable {
  let cache: PhotoAttachmentCache
  let pipeline: PhotoPipeline
  let options: VerifyOptions
  let seen = SeenPictures()

  /// Creates a verifier for one cache.
  ///
  /// - Parameters:
  ///   - cache: the cache to verify.
  ///   - pipeline: prepares originals again for repairs.
  ///   - options: the scope, and whether to repair.
  public init(
    cache: PhotoAttachmentCache, pipeline: PhotoPipeline, options: VerifyOptions = .init()
  ) {
    self.cache = cache
    self.pipeline = pipeline
    self.options = options
  }

  /// A recorded item or a file, with its problems.
  struct Damage: Sendable {
    var subject: Subject
    var findings: [VerifyReport.Finding]

    init(subject: Subject, findings: [VerifyReport.Finding]) {
      self.subject = subject
      self.findings = findings
    }

    init(_ damage: EntryDamage) {
      var draft: String?
      if case .attachment(let name) = damage.entry { draft = name }
      self.init(
        subject: .entry(damage.entry),
        findings: [.init(photo: damage.photo, draft: draft, problem: damage.problem)])
    }
  }

  /// The damaged item.
  enum Subject: Sendable, Equatable {
    case photo(sequence: Int64)
    case file(BlobPath)
    /// A folder of pictures that cannot be read.
    case folder
    /// A catalog entry that refers to a missing item or contradicts another entry.
    case entry(CatalogEntry)
  }

  /// Verifies the cache and repairs it if the options request it.
  ///
  /// - Parameter onFinding: a closure called with every finding, after any attempt to repair it.
  /// - Throws: `StoreError.database(.damaged)` if the catalog's file is damaged, in which case nothing has changed;
  ///   `.cancelled`; storage and catalog errors; errors that `onFinding` throws.
  public func verify(
    onFinding: @escaping @Sendable (VerifyReport.Finding) throws -> Void = { _ in }
  ) async throws(StoreError) -> VerifyReport {
    let ledger = VerifyLedger(repairs: options.repairs, onFinding: onFinding)
    seen.reset(earlier: try cache.blobs.list(.quarantine))
    if options.all { try await cache.runBlocking { try cache.catalog.checkIntegrity() } }
    try await provePhotos(ledger)
    if options.all, options.shard.isFirst {
      for damage in try await cache.runBlocking({ try cache.catalog.damages() }) {
        try ledger.recordDamage(Damage(damage))
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
      let page = try await cache.runBlocking {
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
        if let found { try ledger.recordDamage(found) }
      }
    }
  }

  /// Returns the photos that fail the first check. Checks them concurrently on the pool's threads.
  private func suspects(among photos: [SealedRecord]) async throws(StoreError) -> [Int64] {
    let results = await withTaskGroup(of: Result<Int64?, StoreError>.self) { group in
      for photo in photos {
        group.addTask {
          do throws(StoreError) {
            return .success(
              try await cache.runBlocking { try isProved(photo) } ? nil : photo.sequence)
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
      guard let place = photo.place(kind), photo.agrees(with: try inspect(at: place), kind) else {
        return false
      }
    }
    return true
  }

  /// Reads a file and compares it with its name.
  func inspect(at place: BlobPath) throws(StoreError) -> StoredFile {
    do throws(StoreError) {
      let file = try cache.blobs.inspect(at: place, limits: cache.policy.limits)
      seen.give(place)
      return file
    } catch {
      try seen.refuse(place, error)
      return .unavailable
    }
  }

  /// Returns the damage of a photo. `nil` if the photo is intact or has been removed.
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
      // An altered record may refer to files that never existed, so ignore missing ones. The alteration itself is
      // reported once, for the record.
      if isAltered, finding.problem == .record { continue }
      if isAltered, finding.problem == .missing, finding.quarantined == nil { continue }
      finding.photo = photo.id
      findings.append(finding)
    }
    return findings.isEmpty
      ? nil : Damage(subject: .photo(sequence: sequence), findings: findings)
  }

  /// Returns the problem of the file at a place and moves a damaged file to quarantine.
  ///
  /// - Parameter photo: the record that the file must match. `nil` if the file has none.
  func finding(
    at place: BlobPath, recorded photo: SealedRecord?, _ locked: LockedRecords
  ) throws(StoreError) -> VerifyReport.Finding? {
    if let answer = seen.answer(for: place) {
      return .init(path: place.relativePath, problem: .unavailable, answer: answer)
    }
    let found = try? cache.blobs.findBlob(at: place, quickly: false)
    let identity = found?.identity
    let file = try inspect(at: place)
    var finding = VerifyReport.Finding(path: place.relativePath, problem: .missing)
    switch file {
    // A user may have put a link, folder or FIFO there. A repair moves it to quarantine if a record needs the place.
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
      // The quarantined size will be regenerated.
      if photo == nil { finding.quarantined = try quarantine(place, identity, problem, holds: nil) }
    case .missing:
      if photo == nil { return nil }
      let moved = seen.moved(from: place)
      finding.problem = moved.problem ?? .missing
      finding.quarantined = moved.path
    case .unavailable:
      finding.problem = .unavailable
      finding.answer = seen.answer(for: place)
    // A file that can't be read may be intact. It stays until a repair has another copy of the picture.
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

  /// Runs `work` while other processes can't record, delete or name pictures. In a dry run, they can, but in
  /// SQLite their commits wait.
  func lock<T: Sendable>(
    _ work: @escaping @Sendable (LockedRecords) throws -> T
  ) async throws(StoreError) -> T {
    try await cache.threads.finish {
      try cache.catalog.lock(dryRun: options.dryRun, work)
    }
  }
}
