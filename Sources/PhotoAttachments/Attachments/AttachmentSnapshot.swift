import Foundation
import Logging
import PhotoIngestion

/// A recorded photo that cannot be shown at the moment. The record is kept until the
/// photo is removed, replaced or expires, so that it can be repaired; the photo is valid again as
/// soon as its blob is.
package struct InvalidPhoto: Sendable, Equatable {
  /// What is on record.
  package var photo: PhotoAttachmentMetadata
  /// What is wrong with its blob.
  package var problem: Problem

  /// What can be wrong with a blob.
  package enum Problem: String, Sendable, Equatable {
    /// There is no such file: deleted, quarantined by `verify`, or on a disk that is not there now.
    case missing
    /// What lies there is not what was stored.
    case damaged
  }
}

/// The state of a draft's attachment at one moment.
package struct AttachmentSnapshot: Sendable, Equatable {
  /// What is shown: `empty` while the photo on record is not valid.
  package var status: PhotoAttachmentStatus
  /// The photo on record that is not valid; nil when it is, or when there is none.
  package var invalid: InvalidPhoto?
  /// Why the last attempt ended without a photo (`StoreError.code`), nil after a success or when
  /// there was none.
  package var failure: String?

  init(status: PhotoAttachmentStatus, failure: String? = nil) {
    self.status = status
    self.failure = failure
  }

  /// The confirmed photo.
  var photo: PhotoAttachmentMetadata? {
    if case .confirmed(let photo) = status { photo } else { nil }
  }
}

extension PhotoAttachmentCache {
  /// Where a draft's attachment stands, and what is wrong when a photo is on record that cannot be
  /// shown. A photo is valid while the very bytes that were recorded lie in its blob.
  ///
  /// A look changes one thing only: loading whose process is gone becomes what it was before
  /// The answer does not depend on whether that can be written down: on a full or
  /// failing disk the next look comes to the same.
  ///
  /// - Throws: catalog errors; `StoreError.storage` when the disk does not tell what lies there.
  package func snapshot(draft: String) async throws(StoreError) -> AttachmentSnapshot {
    try await Self.snapshots.finish { [self] in try snapshot(draft: draft) }
  }

  /// Where they wait: not behind photos that are prepared, and without keeping pictures from being shown.
  private static let snapshots = WorkerPool(threadCount: 4)

  /// Looks at a draft's attachment, for a session of a report, which begins without waiting. Blocks.
  package func snapshot(draft: String) throws(StoreError) -> AttachmentSnapshot {
    var recorded = try restored(draft)
    // Without a lock: reading a blob must not keep others from recording. What was replaced
    // meanwhile lost its blob for good reason.
    while case .confirmed(let photo) = recorded.status, let problem = try problem(of: photo) {
      let again = try restored(draft)
      if again == recorded {
        recorded.status = .empty
        recorded.invalid = InvalidPhoto(photo: photo, problem: problem)
        break
      }
      recorded = again
    }
    return recorded
  }

  /// What is on record, whatever became of the blob; an attempt whose process is gone is ended.
  private func restored(_ draft: String) throws(StoreError) -> AttachmentSnapshot {
    guard let record = try catalog.attachment(draft: draft) else {
      return AttachmentSnapshot(status: .empty)
    }
    var machine = record.machine
    let action = machine.handle(try record.restored())
    let recorded = AttachmentSnapshot(
      status: try status(of: machine, record.photo), failure: machine.failure)
    if action == .ignore { return recorded }
    do throws(StoreError) {
      try catalog.restore(draft: draft, at: now())
    } catch {
      switch error {
      case .storageFull, .storage, .busy, .unreachable, .overloaded, .serviceFailed: return recorded
      default: throw error
      }
    }
    return try restored(draft)
  }

  /// The status by the record alone. A photo whose record is gone is none.
  private func status(
    of machine: AttachmentRecord.Machine, _ photo: SealedRecord?
  ) throws(StoreError) -> PhotoAttachmentStatus {
    switch machine.state {
    case .empty: .empty
    case .loading: .loading
    case .confirmed:
      if let photo { .confirmed(metadata: try metadata(of: photo)) } else { .empty }
    }
  }

  /// The status for those who watch: whether the blob is there is asked, its bytes are not read.
  func shownStatus(of record: AttachmentRecord?) -> PhotoAttachmentStatus {
    guard let record else { return .empty }
    var machine = record.machine
    do throws(StoreError) {
      _ = machine.handle(try record.restored())
      let status = try status(of: machine, record.photo)
      guard case .confirmed(let photo) = status,
        let place = BlobPath(relativePath: photo.blob.path)
      else { return status }
      // A store that does not answer is no reason to hide the photo.
      guard let facts = try? Optional.some(blobs.facts(place)) else { return status }
      return facts?.sizeBytes == photo.blob.sizeBytes ? status : .empty
    } catch {
      logger.error(
        "status not read", metadata: ["draft": "\(record.draft)", "error": "\(error)"])
      return .empty
    }
  }

  /// What is wrong with a photo's blob, nil when it is as it was stored.
  ///
  /// - Throws: `StoreError.storage` when that cannot be found out: a failing disk has not lost the photo.
  private func problem(
    of photo: PhotoAttachmentMetadata
  ) throws(StoreError) -> InvalidPhoto.Problem? {
    guard let place = BlobPath(relativePath: photo.blob.path) else {
      throw .fault(.blobPath)
    }
    guard let found = try blobs.found(at: place, quickly: false) else { return .missing }
    guard !found.isOther, found.sizeBytes == photo.blob.sizeBytes else { return .damaged }
    do throws(StoreError) {
      return try blobs.body(place, inPieces: false).isSound(sha256: place.sha256) ? nil : .damaged
    } catch {
      if error == .missingPhoto { return .missing }
      if error == .fault(.blobDamaged) { return .damaged }  // it became shorter meanwhile
      throw error
    }
  }
}
