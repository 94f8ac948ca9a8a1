import Foundation
import Glibc
import ImageContainers
import PhotoIngestion
import Synchronization

extension LibraryWriter {
  /// Deletes or moves originals, but only those whose stored photo reads back with the recorded digest, holds
  /// all that the original showed, and that still are, bytes and all, what was imported.
  /// Whatever is in doubt stays.
  ///
  /// A picture that was encoded again (turned, or HEIC) counts as whole: what a person would miss is
  /// listed as a loss, and metadata is what normalization is there to take out.
  ///
  /// What happens to them is recorded before: from then on their photos count as only copies, and none goes
  /// whose photo was forgotten meanwhile.
  ///
  /// - Parameters:
  ///   - files: what an import found out.
  ///   - group: its findings, in the same order.
  ///   - atOnce: whether several are worked on at a time, because each waits for a store's answers.
  /// - Returns: the files, with what became of their originals.
  func withDeletedSources(
    _ files: [ImportedFile], _ group: [ImportFinding], atOnce: Bool
  ) throws(StoreError) -> [ImportedFile] {
    guard options.removesSource else { return files }
    func each<Part: Sendable, Value: Sendable>(
      _ parts: [Part], _ work: @escaping @Sendable (Part) -> Value
    ) throws(StoreError) -> [Value] {
      atOnce ? try parts.concurrentMap(work) : parts.map(work)
    }
    let plans = try each(Array(zip(group, files))) { plan(for: $0, $1.outcome) }
    let originals = plans.compactMap { if case .take(let original) = $0 { original } else { nil } }
    let purpose = options.moveSource.map { SourceRemoval.Outcome.moved($0) } ?? .deleted
    let areNoted = note(originals.map { ($0, purpose) })
    let outcomes = try each(Array(zip(originals, areNoted))) { original, isNoted in
      isNoted ? remove(original) : .kept(.unproved)
    }
    // Where this fails they count as gone.
    _ = note(zip(originals, outcomes).filter { $1 != .deleted })
    var rest = outcomes[...]
    return zip(files, plans).map { file, plan in
      var file = file
      let outcome = if case .leave(let outcome) = plan { outcome } else { rest.popFirst() }
      switch outcome {
      case .deleted: file.sourceDeleted = true
      case .moved(let path): file.sourceMovedTo = path
      case .kept(let reason): file.sourceKept = reason
      case nil: break
      }
      return file
    }
  }

  private struct Original: Sendable {
    let file: FoundFile
    let photo: PhotoAttachmentMetadata
    let sha256: String
  }

  private enum Plan: Sendable {
    case take(Original)
    /// Leaves it; a dry run says what would become of it.
    case leave(SourceRemoval.Outcome?)
  }

  /// Records what becomes of originals; those that are not on record, or cannot be noted, have to stay.
  private func note(_ originals: [(Original, SourceRemoval.Outcome)]) -> [Bool] {
    do throws(StoreError) {
      return try catalog.note(originals.map { ($0.file.key, $0.photo.id, $1) })
    } catch {
      return originals.map { _ in false }
    }
  }

  private func plan(for finding: ImportFinding, _ outcome: ImportOutcome) -> Plan {
    guard case .file(let file, let digest) = finding.path else { return .leave(nil) }
    let photo: UUID
    switch outcome {
    case .imported(let imported): photo = imported.id
    case .duplicate(let id, _), .unchanged(let id): photo = id
    case .skipped, .failed: return .leave(nil)
    }
    if case .imported(let imported) = outcome, options.dryRun { dryRunPhotos.note(imported) }
    if file.throughLink { return .leave(.kept(.link)) }
    if belongsToKeptSet(file) { return .leave(.kept(.sidecar)) }
    if options.dryRun { return .leave(wouldRemove(digest, of: photo)) }
    do { return try proved(file, of: photo) } catch { return .leave(.kept(.unproved)) }
  }

  /// Whether files go with it, which are stored nowhere: such sets are moved or stay.
  private func belongsToKeptSet(_ file: FoundFile) -> Bool {
    options.moveSource == nil && objects == nil && !sidecars.sidecars(of: file).isEmpty
  }

  /// What a run would do, as far as it can be known without one: the original is not looked at again.
  private func wouldRemove(_ digest: String?, of id: UUID) -> SourceRemoval.Outcome {
    guard let photo = dryRunPhotos.photo(id) ?? (try? photo(id)) else { return .kept(.unproved) }
    return reasonToKeep(digest, of: photo).map { .kept($0) } ?? .deleted
  }

  /// Why an original stays by what is recorded of its photo, nil when it may go.
  ///
  /// - Parameter digest: the original's; nil when it is not known.
  private func reasonToKeep(
    _ digest: String?, of photo: PhotoAttachmentMetadata
  ) -> SourceKeptReason? {
    let normalization = photo.normalization
    if !normalization.signsOfCut.isEmpty { return .cut(normalization.signsOfCut) }
    if options.deleteLossySource { return nil }
    if let digest, photo.source.sha256 != digest { return .equalPixels }
    return normalization.losses.isEmpty ? nil : .losses(normalization.losses)
  }

  private func photo(_ id: UUID) throws(StoreError) -> PhotoAttachmentMetadata? {
    try cache.catalog.photo(id: id.uuidString).map(cache.metadata)
  }

  private func proved(_ file: FoundFile, of id: UUID) throws(StoreError) -> Plan {
    guard let look = try catalog.lookups(of: [(file.key, file.identity)])[0],
      look.record.path == file.key, case .photo(id, _)? = look.record.knowledge,
      let digest = look.record.sha256, let photo = try photo(id)
    else { return .leave(.kept(.unproved)) }
    if let reason = reasonToKeep(digest, of: photo) { return .leave(.kept(reason)) }
    _ = try cache.blobs.proved(photo.blob)
    return .take(Original(file: file, photo: photo, sha256: digest))
  }

  private func remove(_ original: Original) -> SourceRemoval.Outcome {
    let (file, digest) = (original.file, original.sha256)
    if let objects { return SourceRemoval.remove(file, sha256: digest, from: objects) }
    return SourceRemoval.remove(
      file, with: sidecars.sidecars(of: file), sha256: digest, to: destination
    ) { isStored($0, digest, original.photo) }
  }

  /// Whether a file is one of the store's: under the name of its own digest, or the photo's.
  private func isStored(
    _ status: stat, _ digest: String, _ photo: PhotoAttachmentMetadata
  ) -> Bool {
    let places = BlobPath.Kind.ofRecords.flatMap { kind in
      ImageFormat.allCases.compactMap { BlobPath(kind, sha256: digest, format: $0)?.relativePath }
    }
    return (places + [photo.blob.path, photo.preview.path]).contains { path in
      var stored = stat()
      return lstat(cache.folder.path + "/" + path, &stored) == 0
        && FolderID(stored) == FolderID(status)
    }
  }
}

/// Photos that a dry run would store, by their ids, which are valid only during the run.
final class DryRunPhotos: Sendable {
  private let known = Mutex<[UUID: PhotoAttachmentMetadata]>([:])

  func note(_ photo: PhotoAttachmentMetadata) { known.withLock { $0[photo.id] = photo } }

  /// Nil for a photo that is not of this run.
  func photo(_ id: UUID) -> PhotoAttachmentMetadata? { known.withLock { $0[id] } }
}
