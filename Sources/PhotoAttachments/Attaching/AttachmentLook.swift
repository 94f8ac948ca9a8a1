import Foundation
import GRDB
public import PhotoIngestion

/// A photo on record that cannot be shown for now (decision 7). The record stays until the photo is
/// removed, replaced or expires, so that it can be repaired; it is valid again by itself as soon as
/// its blob is.
public struct InvalidPhoto: Sendable, Equatable {
  /// What is on record.
  public var photo: PhotoAttachmentMetadata
  /// What is wrong with its blob.
  public var problem: Problem

  /// What can be wrong with a blob.
  public enum Problem: String, Sendable, Equatable {
    /// There is no such file: deleted, quarantined by `verify`, or on a disk that is not there now.
    case missing
    /// What lies there is not what was stored.
    case damaged
  }
}

/// What a look at a draft's attachment finds.
public struct AttachmentLook: Sendable, Equatable {
  /// What is shown: `empty` while the photo on record is not valid (decision 7).
  public var status: PhotoAttachmentStatus
  /// The photo on record that is not valid; nil when it is, or when there is none.
  public var invalid: InvalidPhoto?
  /// Why the last attempt ended without a photo (`PhotoError.code`), nil after a success or when
  /// there was none (decision 4).
  public var failure: String?

  init(status: PhotoAttachmentStatus, failure: String? = nil) {
    (self.status, self.failure) = (status, failure)
  }
}

extension PhotoAttachmentCache {
  /// Where a draft's attachment stands, and what is wrong when a photo is on record that cannot be
  /// shown. A photo is valid while the very bytes that were recorded lie in its blob.
  ///
  /// A look changes one thing only: loading whose process is gone becomes what it was before
  /// (decision 6). The answer does not depend on whether that can be written down: on a full or
  /// failing disk the next look comes to the same.
  ///
  /// - Throws: catalog errors; `PhotoError.storage` when the disk does not tell what lies there.
  public func look(draft: String) throws(PhotoError) -> AttachmentLook {
    var recorded = try restored(draft)
    // Without a lock: reading a blob must not keep anybody from recording. What was replaced
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
  private func restored(_ draft: String) throws(PhotoError) -> AttachmentLook {
    let (recorded, isUpToDate) = try catalog.read { db -> (AttachmentLook, Bool) in
      guard let row = try AttachmentRow.fetch(db, draft: draft) else {
        return (AttachmentLook(status: .empty), true)
      }
      var machine = try row.machine
      let action = machine.handle(try restoring(row, db))
      let status = try recordedStatus(of: machine, db)
      return (AttachmentLook(status: status, failure: machine.failure), action == .ignore)
    }
    if isUpToDate { return recorded }
    do throws(PhotoError) {
      try catalog.write { db in
        guard let row = try AttachmentRow.fetch(db, draft: draft) else { return }
        _ = try apply(try restoring(row, db), to: draft, db)
      }
    } catch {
      switch error {
      case .storageFull, .storage, .busy: return recorded
      default: throw error
      }
    }
    return try restored(draft)
  }

  /// The look at a row after a restart.
  ///
  /// - Throws: `PhotoError.database("altered-record")` when the photo's record is not as it was
  ///   written: what it says of its blob is worth nothing.
  func restoring(
    _ row: AttachmentRow, _ db: Database
  ) throws -> AttachmentRow.Machine.Event {
    if let id = try row.machine.photo, let photo = try RawPhoto.fetch(db, id: id.uuidString) {
      guard photo.isSealed, photo.place(.blob) != nil else {
        throw PhotoError.database(what: "altered-record", detail: id.uuidString)
      }
    }
    return .restore(ownerAlive: LiveAttempts.isAlive(row, in: folder))
  }

  /// The status by the record alone. A photo whose record is gone is none.
  func recordedStatus(
    of machine: AttachmentRow.Machine, _ db: Database
  ) throws -> PhotoAttachmentStatus {
    switch machine.state {
    case .empty: return .empty
    case .loading: return .loading
    case .confirmed(let id):
      guard let photo = try PhotoRow.fetch(db, id: id) else { return .empty }
      return .confirmed(metadata: try photo.metadata(in: folder))
    }
  }

  /// The status for those who watch, told inside a transaction: whether the blob is there is asked,
  /// its bytes are not read.
  func shownStatus(
    of machine: AttachmentRow.Machine, _ db: Database
  ) throws -> PhotoAttachmentStatus {
    let status = try recordedStatus(of: machine, db)
    guard case .confirmed(let photo) = status else { return status }
    let place = BlobPath(relativePath: photo.blob.path)
    // A disk that does not answer is no reason to hide the photo, still less to undo the change.
    guard let place, let facts = try? Optional.some(blobs.facts(place)) else { return status }
    return facts?.sizeBytes == photo.blob.sizeBytes ? status : .empty
  }

  /// What is wrong with a photo's blob, nil when it is as it was stored.
  ///
  /// - Throws: `PhotoError.storage` when that cannot be told: a failing disk has not lost the photo.
  private func problem(
    of photo: PhotoAttachmentMetadata
  ) throws(PhotoError) -> InvalidPhoto.Problem? {
    guard let place = BlobPath(relativePath: photo.blob.path) else {
      throw .fault(what: "blob-path")
    }
    guard let size = try blobs.facts(place)?.sizeBytes else {
      return blobs.identity(place) == nil ? .missing : .damaged
    }
    guard size == photo.blob.sizeBytes else { return .damaged }
    do throws(PhotoError) {
      return sha256(of: try blobs.read(place)) == place.sha256 ? nil : .damaged
    } catch {
      if error == .missingPhoto { return .missing }
      throw error
    }
  }
}
