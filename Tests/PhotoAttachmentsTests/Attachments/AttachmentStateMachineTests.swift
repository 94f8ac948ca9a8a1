import TestPictures
import Testing

@testable import PhotoAttachments

/// Tests of the state machine of seed 028 "State Machine (Textual)" and of decisions 4 to 7.
@Suite struct AttachmentStateMachineTests {
  typealias Machine = AttachmentStateMachine<Int>

  struct Row: Sendable, CustomTestStringConvertible {
    var from: Machine.State
    var event: Machine.Event
    var to: Machine.State
    var action: Machine.Action
    var failure: String?
    var testDescription: String { "\(from) + \(event)" }
  }

  /// Every event in every state. Attempt 5 is in progress, and photo 1 is the last good one.
  static let table: [Row] = {
    let fresh = Machine.State.loading(5, previous: nil)
    let replacing = Machine.State.loading(5, previous: 1)
    let confirmed = Machine.State.confirmed(1)
    let events:
      [(
        Machine.Event, [(Machine.State, Machine.State, Machine.Action, String?)]
      )] = [
        (
          .pick(6),
          [
            (.empty, .loading(6, previous: nil), .keep, nil),
            (fresh, .loading(6, previous: nil), .keep, nil),
            (replacing, .loading(6, previous: 1), .keep, nil),
            (confirmed, .loading(6, previous: 1), .keep, nil),
          ]
        ),
        (
          .succeeded(5, 2),
          [
            (.empty, .empty, .giveUp(2), "before"),
            (fresh, .confirmed(2), .keep, nil),
            (replacing, .confirmed(2), .giveUp(1), nil),
            (confirmed, confirmed, .giveUp(2), "before"),
          ]
        ),
        (
          .succeeded(4, 2),
          [
            (.empty, .empty, .giveUp(2), "before"),
            (fresh, fresh, .giveUp(2), "before"),
            (replacing, replacing, .giveUp(2), "before"),
            (confirmed, confirmed, .giveUp(2), "before"),
          ]
        ),
        (
          .failed(5, code: "corrupt"),
          [
            (.empty, .empty, .ignore, "before"),
            (fresh, .empty, .keep, "corrupt"),
            (replacing, confirmed, .keep, "corrupt"),
            (confirmed, confirmed, .ignore, "before"),
          ]
        ),
        (
          .failed(4, code: "corrupt"),
          [
            (.empty, .empty, .ignore, "before"),
            (fresh, fresh, .ignore, "before"),
            (replacing, replacing, .ignore, "before"),
            (confirmed, confirmed, .ignore, "before"),
          ]
        ),
        (
          .remove,
          [
            (.empty, .empty, .keep, nil),
            (fresh, .empty, .keep, nil),
            (replacing, .empty, .giveUp(1), nil),
            (confirmed, .empty, .giveUp(1), nil),
          ]
        ),
        (
          .forget(1),
          [
            (.empty, .empty, .ignore, "before"),
            (fresh, fresh, .ignore, "before"),
            (replacing, fresh, .giveUp(1), nil),
            (confirmed, .empty, .giveUp(1), nil),
          ]
        ),
        (
          .forget(9),
          [
            (.empty, .empty, .ignore, "before"),
            (fresh, fresh, .ignore, "before"),
            (replacing, replacing, .ignore, "before"),
            (confirmed, confirmed, .ignore, "before"),
          ]
        ),
        (
          .restore(ownerAlive: true),
          [
            (.empty, .empty, .ignore, "before"),
            (fresh, fresh, .ignore, "before"),
            (replacing, replacing, .ignore, "before"),
            (confirmed, confirmed, .ignore, "before"),
          ]
        ),
        (
          .restore(ownerAlive: false),
          [
            (.empty, .empty, .ignore, "before"),
            (fresh, .empty, .keep, "interrupted"),
            (replacing, confirmed, .keep, "interrupted"),
            (confirmed, confirmed, .ignore, "before"),
          ]
        ),
        (
          .expire,
          [
            (.empty, .empty, .keep, nil),
            (fresh, fresh, .ignore, "before"),
            (replacing, replacing, .ignore, "before"),
            (confirmed, .empty, .giveUp(1), nil),
          ]
        ),
      ]
    return events.flatMap { event, rows in
      rows.map { Row(from: $0.0, event: event, to: $0.1, action: $0.2, failure: $0.3) }
    }
  }()

  @Test("Every event in every state", arguments: table)
  func transition(_ row: Row) {
    var machine = Machine(row.from, failure: "before")
    #expect(machine.handle(row.event) == row.action)
    #expect(machine.state == row.to)
    #expect(machine.failure == row.failure)
  }

  /// A simple model of the machine's meaning: the shown photo, the running attempt, and the stored photos that are
  /// unused.
  struct Reference {
    var shown: Int?
    var attempt: Int64?
    var stored: Set<Int> = []

    mutating func drop() {
      if let shown { stored.remove(shown) }
      shown = nil
    }

    mutating func take(_ event: Machine.Event) {
      switch event {
      case .pick(let ticket): attempt = ticket
      case .succeeded(let ticket, let photo):
        guard attempt == ticket else { return }
        drop()
        (shown, attempt) = (photo, nil)
        stored.insert(photo)
      case .failed(let ticket, _): if attempt == ticket { attempt = nil }
      case .remove:
        drop()
        attempt = nil
      case .forget(let photo): if shown == photo { drop() }
      case .restore(let alive): if !alive { attempt = nil }
      case .expire: if attempt == nil { drop() }
      }
    }
  }

  @Test("100,000 random steps agree with a reference model", arguments: [1, 20_280, 4_101])
  func randomWalk(seed: UInt64) {
    var random = SeededGenerator(state: seed)
    var machine = Machine()
    var reference = Reference()
    var stored: Set<Int> = []
    var (ticket, photo): (Int64, Int) = (0, 0)
    for step in 0..<100_000 {
      let event: Machine.Event
      let someTicket = max(0, ticket - Int64.random(in: 0...2, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1:
        ticket += 1
        event = .pick(ticket)
      case 2, 3:
        photo += 1
        stored.insert(photo)
        event = .succeeded(someTicket, photo)
      case 4: event = .failed(someTicket, code: "corrupt")
      case 5: event = Bool.random(using: &random) ? .remove : .expire
      case 6: event = .forget(max(0, photo - Int.random(in: 0...2, using: &random)))
      default:
        event = .restore(ownerAlive: Bool.random(using: &random))
      }
      if case .giveUp(let gone) = machine.handle(event) {
        if stored.remove(gone) == nil {
          Issue.record("seed \(seed) step \(step): photo \(gone) given up twice")
          return
        }
      }
      reference.take(event)
      let isLoading = if case .loading = machine.state { true } else { false }
      guard machine.photo == reference.shown, isLoading == (reference.attempt != nil),
        stored == reference.stored
      else {
        Issue.record("seed \(seed) step \(step): \(event) led to \(machine.state)")
        return
      }
    }
  }
}
