import NIOCore
import Testing

@testable import PetSpotServer

/// A sequence of events at certain seconds, with the guard's expected actions.
struct StateRow: CustomTestStringConvertible, Sendable {
  /// The behavior that the row demonstrates.
  let name: String
  /// The second, the event, and the expected action.
  let steps: [(Double, ConnectionEvent, ConnectionAction)]
  /// The second at which the next tick is due after the last step.
  let due: Due
  var testDescription: String { name }

  /// A deadline: not checked, no deadline, or a second.
  enum Due: ExpressibleByFloatLiteral {
    case any, never, second(Double)
    init(floatLiteral value: Double) { self = .second(value) }
  }

  init(
    _ name: String, _ steps: [(Double, ConnectionEvent, ConnectionAction)], due: Due = .any
  ) {
    self.name = name
    self.steps = steps
    self.due = due
  }
}

private let head = ConnectionEvent.requestHead(isLast: false, expectsContinue: false)
private let lastHead = ConnectionEvent.requestHead(isLast: true, expectsContinue: false)
private let expecting = ConnectionEvent.requestHead(isLast: false, expectsContinue: true)
private let answer = ConnectionEvent.responseHead(closes: false)
private let lastAnswer = ConnectionEvent.responseHead(closes: true)
private typealias Step = (Double, ConnectionEvent, ConnectionAction)

/// The connection is open, a request is complete, and its response is sent.
private let served: [Step] = [
  (0, .opened, .none), (1, head, .forward), (1, .requestEnd, .forward),
  (2, answer, .forward), (2, .responseBody(100), .forward), (2, .responseEnd, .forward),
  (2, .unsent(0), .none),
]

/// The server is receiving a body, and waits for more of it.
private let receiving: [Step] = [
  (0, .opened, .none), (0, .readAsked, .forward), (0, head, .forward), (0, .readDone, .none),
  (0, .readAsked, .forward),
]

/// The response came before the end of the body.
private let early: [Step] =
  receiving + [
    (1, answer, .forward), (1, .responseEnd, .forwardDraining), (1, .unsent(0), .none),
  ]

private let rows: [StateRow] = [
  // Idle and slow heads.
  StateRow(
    "no head in 30 s", [(0, .opened, .none), (29.9, .tick, .none), (30, .tick, .close(.idle))]),
  StateRow("a head in time", [(0, .opened, .none), (29, head, .forward)], due: .never),
  StateRow(
    "reads without a part do not reset it",
    [
      (0, .opened, .none), (0, .readAsked, .forward), (25, .readDone, .none),
      (25, .readAsked, .forward), (30, .tick, .close(.idle)),
    ]),
  StateRow("idle counts from the end of the answer", served, due: 32.0),
  StateRow("idle after an answer", served + [(32, .tick, .close(.idle))]),
  StateRow(
    "no time limit for the server's own work",
    [
      (0, .opened, .none), (0, head, .forward), (0, .requestEnd, .forward),
      (3600, .tick, .none), (3600, answer, .forward),
    ], due: .never),
  StateRow(
    "idle counts from when the answer left",
    Array(served.dropLast()) + [(2, .unsent(50), .none), (9, .unsent(0), .none)], due: 39.0),
  StateRow(
    "pipelined: the second request is not idle",
    [
      (0, .opened, .none), (0, head, .forward), (0, .requestEnd, .forward), (0, head, .forward),
      (0, .requestEnd, .forward), (1, answer, .forward), (1, .responseEnd, .forward),
      (90, .tick, .none), (90, answer, .forward), (90, .responseEnd, .forward),
    ], due: 120.0),
  // Slow bodies.
  StateRow("the pace is judged each 10 s", receiving, due: 10.0),
  StateRow("a silent body", receiving + [(10, .tick, .none), (20, .tick, .endBody)]),
  StateRow(
    "a dripping body",
    receiving + [
      (8, .requestBody(1), .forward), (8, .readDone, .none), (8, .readAsked, .forward),
      (10, .tick, .none), (15, .requestBody(79_999), .forward), (20, .tick, .endBody),
    ]),
  StateRow(
    "just fast enough",
    receiving + [
      (9, .requestBody(80_000), .forward), (10, .tick, .none), (19, .requestBody(80_000), .forward),
      (20, .tick, .none), (29, .requestBody(80_000), .forward), (30, .tick, .none),
    ], due: 40.0),
  StateRow(
    "fast, then silent",
    receiving + [
      (1, .requestBody(1 << 20), .forward), (10, .tick, .none), (20, .tick, .none),
      (30, .tick, .endBody),
    ]),
  StateRow(
    "the server does not read: nobody is slow",
    receiving + [(1, .requestBody(65536), .forward), (1, .readDone, .none), (600, .tick, .none)],
    due: .never),
  StateRow(
    "waiting goes on where it stopped",
    receiving + [(5, .readDone, .none), (100, .readAsked, .forward), (102, .tick, .none)],
    due: 105.0),
  StateRow(
    "15 minutes in all",
    receiving
      + (1...89).flatMap { step -> [Step] in
        [
          (Double(step) * 10 - 1, .requestBody(100_000), .forward),
          (Double(step) * 10, .tick, .none),
        ]
      } + [(899, .requestBody(100_000), .forward), (900, .tick, .endBody)]),
  StateRow(
    "an ended body is answered, and what still comes of it is dropped",
    receiving + [
      (20, .tick, .endBody), (20, .requestBody(5), .drop), (20, .readDone, .none),
      (20, .readAsked, .drop), (21, .requestEnd, .drop), (21, answer, .forwardClosing),
      (21, .responseEnd, .finish),
    ]),
  StateRow(
    "an ended body that no handler reads",
    receiving + [(20, .tick, .endBody), (20, .bodyUnread, .close(.slowBody))]),
  StateRow(
    "the server ends a body, once",
    receiving + [(1, .bodyEndAsked, .endBody), (1, .bodyEndAsked, .none)], due: .never),
  StateRow("no body to end", [(0, .opened, .none), (0, .bodyEndAsked, .none)]),
  StateRow(
    "a body in crumbs",
    receiving + (1..<50_000).map { _ in (1, .requestBody(1), .forward) }
      + [(1, .requestBody(1), .close(.crumbs)), (1, .requestBody(1), .drop)]),
  StateRow(
    "many small pieces, but not crumbs",
    receiving + (0..<50_010).map { _ in (1, .requestBody(16), .forward) }, due: 10.0),
  // 100 Continue.
  StateRow(
    "a client that waits for 100 is not slow",
    [(0, .opened, .none), (0, expecting, .forward), (0, .readAsked, .forward), (60, .tick, .none)],
    due: .never),
  StateRow(
    "100 is sent once, and time counts from it",
    [
      (0, .opened, .none), (0, expecting, .forward), (0, .readAsked, .forward),
      (60, .continueHead, .forward), (60, .continueHead, .drop),
    ], due: 70.0),
  StateRow(
    "100 for nobody", [(0, .opened, .none), (0, head, .forward), (0, .continueHead, .drop)]),
  StateRow(
    "100 after the body began",
    [
      (0, .opened, .none), (0, expecting, .forward), (1, .requestBody(1), .forward),
      (1, .continueHead, .drop),
    ]),
  StateRow(
    "an answer instead of 100 is the last",
    [
      (0, .opened, .none), (0, expecting, .forward), (0, answer, .forwardClosing),
      (0, .responseEnd, .finish),
    ]),
  StateRow(
    "100 of a pipelined request would come too early",
    [
      (0, .opened, .none), (0, head, .forward), (0, .requestEnd, .forward),
      (0, expecting, .forward), (0, .continueHead, .drop), (0, answer, .forward),
      (0, .responseEnd, .forward), (0, .continueHead, .forward),
    ]),
  // Slow readers.
  StateRow(
    "nothing is taken for 30 s",
    Array(served.dropLast()) + [
      (2, .unsent(80), .none), (9.5, .unsent(80), .none), (31, .tick, .none),
      (32, .tick, .close(.slowReader)),
    ]),
  StateRow(
    "a stalled answer is looked at each 7.5 s", served + [(3, .unsent(80), .none)], due: 10.5),
  StateRow(
    "some of one large write is taken",
    Array(served.dropLast()) + [
      (2, .unsent(80), .none), (25, .unsent(79), .none), (54, .tick, .none),
      (55, .tick, .close(.slowReader)),
    ]),
  StateRow(
    "more is written while some is taken",
    [
      (0, .opened, .none), (0, head, .forward), (0, .requestEnd, .forward), (0, answer, .forward),
      (0, .responseBody(100), .forward), (0, .unsent(100), .none),
      (20, .responseBody(100), .forward), (20, .unsent(150), .none), (30, .tick, .none),
      (50, .tick, .close(.slowReader)),
    ]),
  StateRow(
    "more is written while none is taken",
    [
      (0, .opened, .none), (0, head, .forward), (0, .requestEnd, .forward), (0, answer, .forward),
      (0, .responseBody(100), .forward), (0, .unsent(120), .none),
      (20, .responseBody(100), .forward), (20, .unsent(230), .none),
      (30, .tick, .close(.slowReader)),
    ]),
  // Early responses.
  StateRow("the rest of a body has 5 s", early, due: 6.0),
  StateRow(
    "a body that is longer than what is dropped ends the connection with its early answer",
    [
      (0, .opened, .none),
      (0, .requestHead(isLast: false, expectsContinue: false, length: 300_000), .forward),
      (0, .requestBody(1), .forward), (1, answer, .forwardClosing), (1, .responseEnd, .finish),
    ]),
  StateRow(
    "what is left of a long body is dropped, and the connection goes on",
    [
      (0, .opened, .none),
      (0, .requestHead(isLast: false, expectsContinue: false, length: 300_000), .forward),
      (0, .requestBody(100_000), .forward), (1, answer, .forward),
      (1, .responseEnd, .forwardDraining),
    ]),
  StateRow(
    "the rest comes, the connection goes on",
    early + [
      (2, .requestBody(1000), .drop), (3, .requestEnd, .forward), (4, head, .forward),
      (4, .requestBody(5), .forward),
    ]),
  StateRow(
    "the rest came, idle counts from there", early + [(3, .requestEnd, .forward)], due: 33.0),
  StateRow(
    "256 KiB are enough",
    early + [
      (2, .requestBody(262_143), .drop), (2, .requestBody(1), .finish), (2, .unsent(0), .none),
      (2, .readAsked, .drop), (2, .outputClosed, .none), (2, .readAsked, .drop),
    ], due: 6.0),
  StateRow(
    "5 s are enough",
    early + [
      (6, .tick, .finish), (6, .unsent(0), .none), (6, .outputClosed, .none),
      (6, .tick, .close(.finished)),
    ]),
  StateRow(
    "a second answer to a broken rest is dropped",
    early + [(2, lastAnswer, .drop), (2, .responseEnd, .drop)]),
  StateRow(
    "an early answer that closes",
    receiving + [
      (1, lastAnswer, .forward), (1, .responseEnd, .finish), (1, .unsent(0), .none),
      (1, .outputClosed, .none), (1, .readAsked, .forward), (2, .dropped(300_000), .none),
      (2, .readAsked, .drop), (6, .tick, .close(.finished)),
    ]),
  // Last requests and responses.
  StateRow(
    "Connection: close in an answer",
    [
      (0, .opened, .none), (0, head, .forward), (0, .requestEnd, .forward),
      (1, lastAnswer, .forward), (1, .responseBody(9), .forward), (1, .responseEnd, .finish),
      (1, .unsent(4), .none), (9, .unsent(0), .none), (9, .outputClosed, .none),
      (10, head, .drop), (10, .requestEnd, .drop), (10, answer, .drop),
    ], due: 14.0),
  StateRow(
    "an answer that never leaves is not waited for",
    [
      (0, .opened, .none), (0, head, .forward), (0, .requestEnd, .forward),
      (1, lastAnswer, .forward), (1, .responseBody(9), .forward), (1, .responseEnd, .finish),
      (1, .unsent(4), .none), (31, .tick, .close(.slowReader)),
    ]),
  StateRow(
    "Upgrade and CONNECT: nothing is read behind it",
    [
      (0, .opened, .none), (0, lastHead, .forward), (0, .requestEnd, .forwardLast),
      (0, .readAsked, .drop), (0, head, .drop), (0, .requestBody(9), .drop),
      (1, answer, .forwardClosing), (1, .responseEnd, .finish), (1, .unsent(0), .none),
      (1, .outputClosed, .none), (1, .readAsked, .forward),
    ], due: 6.0),
  StateRow(
    "an answer before the last request's stays open",
    [
      (0, .opened, .none), (0, head, .forward), (0, .requestEnd, .forward),
      (0, lastHead, .forward), (0, .requestEnd, .forwardLast), (1, answer, .forward),
      (1, .responseEnd, .forward), (1, answer, .forwardClosing), (1, .responseEnd, .finish),
    ]),
  StateRow(
    "the answer to a head that cannot be parsed",
    [(0, .opened, .none), (0, lastAnswer, .forward), (0, .responseEnd, .finish)]),
  // Closes that the server requests.
  StateRow("a close while all is sent", served + [(3, .closeAsked(outputOnly: false), .forward)]),
  StateRow(
    "a close while bytes wait",
    Array(served.dropLast()) + [
      (2, .unsent(9), .none), (3, .closeAsked(outputOnly: false), .finish),
      (3, .closeAsked(outputOnly: false), .drop), (4, .unsent(0), .none),
    ], due: 9.0),
  StateRow("a close of the output", served + [(3, .closeAsked(outputOnly: true), .finish)]),
  StateRow(
    "a close while a body is dropped", early + [(2, .closeAsked(outputOnly: false), .finish)]),
  StateRow(
    "nothing is due after a close",
    [(0, .opened, .none), (30, .tick, .close(.idle)), (31, .tick, .none)], due: .never),
]

@Suite("The rules of a connection")
struct ConnectionStateTests {
  @Test("Each sequence of events leads to the listed actions", arguments: rows)
  func sequence(row: StateRow) {
    var state = ConnectionState(limits: GuardLimits())
    for (number, step) in row.steps.enumerated() {
      let action = state.handle(step.1, at: at(step.0))
      #expect(action == step.2, "step \(number): \(step.1)")
    }
    switch row.due {
    case .any: break
    case .never: #expect(state.nextDeadline == nil)
    case .second(let second): #expect(state.nextDeadline == at(second))
    }
  }

  private func at(_ seconds: Double) -> NIODeadline {
    .uptimeNanoseconds(1_000_000_000_000 + UInt64(seconds * 1e9))
  }
}
