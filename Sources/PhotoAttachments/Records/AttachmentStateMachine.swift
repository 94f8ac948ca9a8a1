/// The life cycle of one draft's attachment as a value. An event moves it to the next state and returns the action that
/// the caller must perform. It uses no clock, file or database (seed 028, "State Machine"; decisions 4 to 7).
///
/// Every attempt has a ticket, and tickets are never reused. An outcome with a ticket other than that of the current
/// attempt belongs to a superseded or removed attempt. It does not change the state.
package struct AttachmentStateMachine<Photo: Equatable & Sendable>: Equatable, Sendable {
  /// Identifies one attempt.
  package typealias Ticket = Int64

  package enum State: Equatable, Sendable {
    case empty
    /// A photo is being prepared. `previous` is the last good one and is shown again if this attempt fails.
    case loading(Ticket, previous: Photo?)
    case confirmed(Photo)
  }

  package enum Event: Equatable, Sendable {
    /// The person picked a photo, which starts an attempt.
    case pick(Ticket)
    /// The attempt's photo is completely stored.
    case succeeded(Ticket, Photo)
    /// The attempt failed for this reason (`StoreError.code`).
    case failed(Ticket, code: String)
    /// The person removed the photo, which also cancels any attempt in progress.
    case remove
    /// This photo was deleted from the library or by its ID. A newer photo stays.
    case forget(Photo)
    /// The attachment is read after a restart. `ownerAlive` is `true` if the process that started the attempt is still
    /// working on it.
    case restore(ownerAlive: Bool)
    /// The draft was left untouched for too long.
    case expire
  }

  /// The action that the caller must perform after an event.
  package enum Action: Equatable, Sendable {
    /// Save the new state. No photo has to be deleted.
    case keep
    /// The event changed nothing, so the caller need not save.
    case ignore
    /// Save the new state, then delete this photo.
    case giveUp(Photo)
  }

  package private(set) var state: State
  /// The reason why the last attempt produced no photo. It isn't part of the state (decision 4).
  package private(set) var failure: String?

  package init(_ state: State = .empty, failure: String? = nil) {
    self.state = state
    self.failure = failure
  }

  /// The last good photo, even while another is loading.
  package var photo: Photo? {
    switch state {
    case .empty: nil
    case .loading(_, let previous): previous
    case .confirmed(let photo): photo
    }
  }

  /// Moves to the next state. Events that don't apply to the current state return `.ignore` or, for a photo that came
  /// too late, `.giveUp`.
  package mutating func handle(_ event: Event) -> Action {
    switch event {
    case .pick(let ticket):
      return move(to: .loading(ticket, previous: photo))
    case .succeeded(let ticket, let new):
      // A photo from a superseded attempt is discarded.
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
      // `loading` never survives its process (decision 6). A photo with a missing or damaged blob stays on record. It
      // is not shown (decision 7), but it may still be recoverable.
      guard case .loading = state, !ownerAlive else { return .ignore }
      return move(to: settled, failure: "interrupted")
    case .expire:
      if case .loading = state { return .ignore }
      return move(to: .empty, givingUp: photo)
    }
  }

  /// The state after the current attempt ends without a photo.
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
