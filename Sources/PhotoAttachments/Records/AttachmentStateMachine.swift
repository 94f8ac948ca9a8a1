/// The life of one draft's attachment as a value: an event goes in, the next state and what has to
/// be done come out. No clock, file, or database is touched here (seed 028, "State Machine";
/// decisions 4 to 7).
///
/// Every attempt has a ticket. An outcome that carries another ticket than the attempt under way
/// belongs to a superseded or removed attempt and changes nothing. Tickets are never used twice.
package struct AttachmentStateMachine<Photo: Equatable & Sendable>: Equatable, Sendable {
  /// Identity of one attempt.
  package typealias Ticket = Int64

  package enum State: Equatable, Sendable {
    case empty
    /// A photo is on its way; `previous` is the last good one, shown again when this one fails.
    case loading(Ticket, previous: Photo?)
    /// A complete photo is stored.
    case confirmed(Photo)
  }

  package enum Event: Equatable, Sendable {
    /// A photo was picked; its attempt begins.
    case pick(Ticket)
    /// The attempt's photo is stored completely.
    case succeeded(Ticket, Photo)
    /// The attempt failed for this reason (`StoreError.code`).
    case failed(Ticket, code: String)
    /// The person takes the photo away, and with it any attempt under way.
    case remove
    /// This photo is gone from the library or removed by its id; a newer one stays.
    case forget(Photo)
    /// A look after a restart: does the process that began the attempt still work on it?
    case restore(ownerAlive: Bool)
    /// The draft was left untouched for too long.
    case expire
  }

  /// What the caller has to do about an event.
  package enum Action: Equatable, Sendable {
    case keep
    /// Nothing happened; there is nothing to keep.
    case ignore
    /// Keep the new state, then delete this photo.
    case giveUp(Photo)
  }

  package private(set) var state: State
  /// Why the last attempt ended without a photo, beside the state and not in it (decision 4).
  package private(set) var failure: String?

  package init(_ state: State = .empty, failure: String? = nil) {
    self.state = state
    self.failure = failure
  }

  /// The last good photo, also while another is loading.
  package var photo: Photo? {
    switch state {
    case .empty: nil
    case .loading(_, let previous): previous
    case .confirmed(let photo): photo
    }
  }

  package mutating func handle(_ event: Event) -> Action {
    switch event {
    case .pick(let ticket):
      return move(to: .loading(ticket, previous: photo))
    case .succeeded(let ticket, let new):
      // The photo of a superseded attempt is discarded.
      guard isCurrent(ticket) else { return new == photo ? .ignore : .giveUp(new) }
      let old = photo
      return move(to: .confirmed(new), givingUp: old == new ? nil : old)
    case .failed(let ticket, let code):
      guard isCurrent(ticket) else { return .ignore }
      return move(to: settled, failure: code)
    case .remove:
      return move(to: .empty, givingUp: photo)
    case .forget(let gone):
      guard photo == gone else { return .ignore }
      if case .loading(let ticket, _) = state {
        return move(to: .loading(ticket, previous: nil), givingUp: gone)
      }
      return move(to: .empty, givingUp: gone)
    case .restore(let ownerAlive):
      // `loading` never survives its process (decision 6). A photo whose blob is gone or damaged stays
      // on record: it is not shown (decision 7), but a look is no reason to forget what can be
      // brought back.
      guard case .loading = state, !ownerAlive else { return .ignore }
      return move(to: settled, failure: "interrupted")
    case .expire:
      if case .loading = state { return .ignore }
      return move(to: .empty, givingUp: photo)
    }
  }

  /// What the state becomes when the attempt under way leaves nothing.
  private var settled: State { photo.map(State.confirmed) ?? .empty }

  private func isCurrent(_ ticket: Ticket) -> Bool {
    if case .loading(ticket, _) = state { true } else { false }
  }

  private mutating func move(
    to state: State, givingUp photo: Photo? = nil, failure: String? = nil
  ) -> Action {
    self.state = state
    self.failure = failure
    return photo.map(Action.giveUp) ?? .keep
  }
}
