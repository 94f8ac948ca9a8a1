package import Foundation

/// Whose an attachment is, which decides how long it lives (decision 58).
public enum AttachmentOwner: String, Sendable {
  /// A report of PetSpot, at the terminal or in a browser: it expires with its draft.
  case report
  /// A program that uses the library, under an id of its own: it lives until the program removes it.
  case host
}

/// A draft's attachment as it is on record.
package struct AttachmentRecord: Sendable, Equatable {
  package typealias Machine = AttachmentStateMachine<UUID>

  package var draft: String
  package var machine: Machine
  /// Whether a process still works on the attempt under way; false when there is none.
  package var isOwnerAlive = false
  /// The record of `machine.photo`, nil when there is none.
  package var photo: SealedRecord?

  /// The look at it after a restart.
  ///
  /// - Throws: `StoreError.database(.alteredRecord)` when the photo's record is not as it was
  ///   written: what it says of its blob is worth nothing.
  package func restored() throws(StoreError) -> Machine.Event {
    if let photo, !photo.isSealed || photo.place(.blob) == nil {
      throw .database(.alteredRecord, detail: photo.id)
    }
    return .restore(ownerAlive: isOwnerAlive)
  }
}

extension AttachmentStateMachine where Photo == UUID {
  /// The machine that a catalog kept in these columns.
  ///
  /// - Throws: `StoreError.database(.damaged)` when no machine says that.
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

  /// The state as a catalog keeps it.
  package var storedState: String {
    switch state {
    case .empty: "empty"
    case .confirmed: "confirmed"
    case .loading: "loading"
    }
  }

  /// The attempt under way.
  package var ticket: Ticket? {
    if case .loading(let ticket, _) = state { ticket } else { nil }
  }
}

package struct AppliedEvent: Sendable, Equatable {
  /// The attachment after it.
  package var machine: AttachmentRecord.Machine
  /// Pictures that no draft and no library photo shows any more, to be given up.
  package var gone: [BlobPath] = []
}
