package import Foundation

/// The owner of an attachment, which determines its lifetime (decision 58).
public enum AttachmentOwner: String, Sendable {
  /// A PetSpot report, at the terminal or in a browser. The attachment expires with its draft.
  case report
  /// A program that uses the library with its own IDs. The attachment lives until the program removes it.
  case host
}

/// The attachment of one draft as a catalog stores it: its state machine and the record of its photo.
package struct AttachmentRecord: Sendable, Equatable {
  package typealias Machine = AttachmentStateMachine<UUID>

  package var draft: String
  package var machine: Machine
  /// `true` if a process is still working on the current attempt. `false` if no attempt is in progress.
  package var isOwnerAlive = false
  /// The record of `machine.photo`. `nil` if it has no photo.
  package var photo: SealedRecord?

  /// Returns the event that restores the attachment after a restart.
  ///
  /// - Throws: `StoreError.database(.alteredRecord)` if the photo's record was altered, because its reference to the
  ///   blob is then unreliable.
  package func restored() throws(StoreError) -> Machine.Event {
    if let photo, !photo.isSealed || photo.place(.blob) == nil {
      throw .database(.alteredRecord, detail: photo.id)
    }
    return .restore(ownerAlive: isOwnerAlive)
  }
}

extension AttachmentStateMachine where Photo == UUID {
  /// Creates the machine from the columns of a catalog.
  ///
  /// - Throws: `StoreError.database(.damaged)` if the columns describe no valid state.
  package init(
    stored state: String, photo: String?, ticket: Int64?, failure: String?, of draft: String
  ) throws(StoreError) {
    let id = photo.flatMap(UUID.init(uuidString:))
    switch (state, id, ticket) {
    case ("empty", nil, _): self.init(.empty, failure: failure)
    case ("confirmed", let id?, _): self.init(.confirmed(id), failure: failure)
    case ("loading", _, let ticket?):
      self.init(.loading(ticket, previous: id), failure: failure)
    default: throw .database(.damaged, detail: "attachment \(draft)")
    }
  }

  /// The name of the state in a catalog.
  package var storedState: String {
    switch state {
    case .empty: "empty"
    case .confirmed: "confirmed"
    case .loading: "loading"
    }
  }

  package var ticket: Ticket? {
    if case .loading(let ticket, _) = state { ticket } else { nil }
  }
}

/// The result of an event that a catalog has applied to an attachment.
package struct AppliedEvent: Sendable, Equatable {
  /// The attachment after the event.
  package var machine: AttachmentRecord.Machine
  /// Pictures that no draft or library photo shows any longer. The caller deletes them.
  package var gone: [BlobPath] = []
}
