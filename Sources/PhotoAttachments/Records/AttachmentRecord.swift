package import Foundation

/// A draft's attachment as it lies in a catalog.
package struct AttachmentRecord: Sendable, Equatable {
  package typealias Machine = AttachmentStateMachine<UUID>

  /// The draft.
  package var draft: String
  /// Where the state machine stands.
  package var machine: Machine
  /// Whether anybody still works on the attempt under way; false when there is none.
  package var isOwnerAlive: Bool
  /// The record of `machine.photo`, nil when there is none.
  package var photo: SealedRecord?

  package init(
    draft: String, machine: Machine, isOwnerAlive: Bool = false, photo: SealedRecord? = nil
  ) {
    (self.draft, self.machine, self.isOwnerAlive) = (draft, machine, isOwnerAlive)
    self.photo = photo
  }

  /// The look at it after a restart.
  ///
  /// - Throws: `StoreError.database("altered-record")` when the photo's record is not as it was
  ///   written: what it says of its blob is worth nothing.
  package func restored() throws(StoreError) -> Machine.Event {
    if let photo, !photo.isSealed || photo.place(.blob) == nil {
      throw .database(what: "altered-record", detail: photo.id)
    }
    return .restore(ownerAlive: isOwnerAlive)
  }
}

/// What became of an event.
package struct Applied: Sendable, Equatable {
  /// The attachment after it.
  package var machine: AttachmentRecord.Machine
  /// Pictures that no draft and no library photo shows any more, to be given up.
  package var gone: [BlobPath]

  package init(machine: AttachmentRecord.Machine, gone: [BlobPath] = []) {
    (self.machine, self.gone) = (machine, gone)
  }
}
