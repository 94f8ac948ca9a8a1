import Foundation
import Logging
import PhotoIngestion

/// A recorded photo that can't be shown at the moment. Its record is kept until the photo is removed, replaced or
/// expires, so that the photo can be repaired. It is valid again as soon as its blob is.
package struct InvalidPhoto: Sendable, Equatable {
  /// The recorded photo.
  package var photo: PhotoAttachmentMetadata
  /// The problem with its blob.
  package var problem: Problem

  /// The ways in which a blob can be invalid.
  package enum Problem: String, Sendable, Equatable {
    /// The file doesn't exist. It was deleted, quarantined by `verify`, or is on a disk that isn't mounted.
    case missing
    /// The file's bytes differ from those that were stored.
    case damaged
  }
}

/// The state of a draft's attachment at one moment.
package struct AttachmentSnapshot: Sendable, Equatable {
  /// The visible status. It is `empty` while the recorded photo is invalid.
  package var status: PhotoAttachmentStatus
  /// The recorded photo if it is invalid. `nil` if it is valid or if no photo is recorded.
  package var invalid: InvalidPhoto?
  /// The reason why the last attempt ended without a photo (`StoreError.code`). `nil` after a success or if nothing was
  /// attempted.
  package var failure: String?

  /// The confirmed photo.
  var photo: PhotoAttachmentMetadata? {
    if case .confirmed(let photo) = status { photo } else { nil }
  }
}

extension PhotoAttachmentCache {
  /// Returns the state of a draft's attachment, and the problem if a recorded photo can't be shown. A photo is valid if
  /// its blob contains exactly the bytes that were recorded.
  ///
  /// The only change that this makes is to end an attempt whose process is gone, which restores the previous state. The
  /// result doesn't depend on whether that change can be written. On a full or failing disk, the next call returns the
  /// same state.
  ///
  /// - Throws: catalog errors. `StoreError.storage` if the blob's state can't be determined.
  package func snapshot(draft: String) async throws(StoreError) -> AttachmentSnapshot {
    try await Self.snapshots.finish { [self] in try snapshot(draft: draft) }
  }

  /// A separate pool, so that snapshots neither wait for photos that are being prepared nor delay pictures that are
  /// sent.
  private static let snapshots = WorkerPool(threadCount: 4)

  /// Returns a snapshot on the caller's thread, for report sessions, whose initializer isn't async. Blocks.
  package func snapshot(draft: String) throws(StoreError) -> AttachmentSnapshot {
    var recorded = try settleAttempt(draft)
    // Without a lock, because reading a blob must not keep others from recording. If the photo was replaced meanwhile,
    // its blob was deleted on purpose, so look again.
    while case .confirmed(let photo) = recorded.status, let problem = try problem(of: photo) {
      let again = try settleAttempt(draft)
      if again == recorded {
        recorded.status = .empty
        recorded.invalid = InvalidPhoto(photo: photo, problem: problem)
        break
      }
      recorded = again
    }
    return recorded
  }

  /// Returns the photo on record for an attachment without reading its blob, which is checked when it is sent. While
  /// another photo is loading, this is the last good one.
  package func recordedPhoto(
    of key: AttachmentKey
  ) async throws(StoreError) -> PhotoAttachmentMetadata? {
    try await Self.snapshots.finish { [self] in
      try catalog.attachment(draft: key.text)?.photo.map(metadata)
    }
  }

  /// Returns the recorded state without checking the blob. Ends an attempt whose process is gone.
  private func settleAttempt(_ draft: String) throws(StoreError) -> AttachmentSnapshot {
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
    return try settleAttempt(draft)
  }

  /// Returns the status according to the record alone. If the photo's record is gone, the status is `empty`.
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

  /// Returns the status for watchers. Checks that the blob exists and has the right size, but doesn't read its bytes.
  func shownStatus(of record: AttachmentRecord?) -> PhotoAttachmentStatus {
    guard let record else { return .empty }
    var machine = record.machine
    do throws(StoreError) {
      _ = machine.handle(try record.restored())
      let status = try status(of: machine, record.photo)
      guard case .confirmed(let photo) = status,
        let place = BlobPath(relativePath: photo.blob.path)
      else { return status }
      // If the storage can't be reached, the photo stays visible.
      guard let facts = try? Optional.some(blobs.facts(place)) else { return status }
      return facts?.sizeBytes == photo.blob.sizeBytes ? status : .empty
    } catch {
      logger.error(
        "status not read", metadata: ["draft": "\(record.draft)", "error": "\(error)"])
      return .empty
    }
  }

  /// Returns the problem with a photo's blob; `nil` if the blob is as it was stored.
  ///
  /// - Throws: `StoreError.storage` if this can't be determined. A failing disk doesn't mean that the photo is lost.
  private func problem(
    of photo: PhotoAttachmentMetadata
  ) throws(StoreError) -> InvalidPhoto.Problem? {
    guard let place = BlobPath(relativePath: photo.blob.path) else {
      throw .fault(.blobPath)
    }
    guard let found = try blobs.findBlob(at: place, quickly: false) else { return .missing }
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
