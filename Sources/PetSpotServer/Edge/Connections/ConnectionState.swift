import NIOCore

/// The rules of `ConnectionGuard` without channels and timers. It receives events with their time, and returns what to
/// do.
struct ConnectionState {
  private enum Phase {
    case serving
    /// The response came early. The rest of its request is dropped before the next one is served.
    case draining
    /// Nothing more is parsed or answered. The responses are being sent.
    case finishing
    /// The output is shut. Bytes are dropped until the client closes too.
    case lingering
    case closed
  }

  private let limits: GuardLimits
  private var phase = Phase.serving
  /// Requests that began and whose responses have not ended.
  private var inFlight = 0
  /// `true` from a request's head to its end.
  private var isReceiving = false
  private var isLastRequest = false
  /// Bytes of the body in progress that have not arrived. Only meaningful if the head gave a length.
  private var bodyLeft = 0
  /// `true` if the server ended the request in progress before its end arrived.
  private var isBodyEnded = false
  private var awaitsContinue = false
  private var closesAfterResponse = false
  private var isReadPending = false
  private var pace: BodyPace?
  private var idleSince = NIODeadline.uptimeNanoseconds(0)
  /// The response bytes that were written, and those of them that still wait for the socket. `sentThen` and
  /// `stalledSince` are the number of sent bytes and the time when the client last took some. `stalledSince` is `nil`
  /// if no bytes wait.
  private var written = 0
  private var unsent = 0
  private var sentThen = 0
  private var stalledSince: NIODeadline?
  private var measuredAt = NIODeadline.uptimeNanoseconds(0)
  /// The bytes that may still be dropped, and the time when dropping ends.
  private var dropLeft: Int
  private var dropUntil: NIODeadline?

  /// Creates the state of a connection that isn't open yet.
  init(limits: GuardLimits) {
    self.limits = limits
    dropLeft = limits.dropBytes
  }

  /// `true` if the guard itself has to read bytes in order to drop them.
  var wantsRead: Bool {
    switch phase {
    case .draining, .finishing, .lingering: dropLeft > 0
    case .serving, .closed: false
    }
  }

  /// The time of the next `tick`. `nil` if there is no deadline.
  var nextDeadline: NIODeadline? {
    guard phase != .closed else { return nil }
    var deadlines: [NIODeadline?] = []
    if let stalledSince {
      let check = measuredAt + .nanoseconds(max(1, limits.writeStall.nanoseconds / 4))
      deadlines = [min(check, stalledSince + limits.writeStall)]
    }
    switch phase {
    case .serving: deadlines += [pace?.deadline, isIdle ? idleSince + limits.idle : nil]
    case .draining: deadlines += [dropUntil]
    case .finishing, .lingering: deadlines += [unsent == 0 ? dropUntil : nil]
    case .closed: break
    }
    return deadlines.compactMap(\.self).min()
  }

  /// Handles an event.
  ///
  /// - Parameter now: the time of the event loop, which never goes back.
  mutating func handle(_ event: ConnectionEvent, at now: NIODeadline) -> ConnectionAction {
    let action = decide(event, now)
    let waits = phase == .serving && isReceiving && isReadPending && !awaitsContinue
    pace?.setWaiting(waits, at: now)
    return action
  }

  /// `true` if no request is in progress, from its head to the last byte of its response.
  var isIdle: Bool { inFlight == 0 && !isReceiving && unsent == 0 }
  private var isRequestExpected: Bool { phase == .serving && (isReceiving || !isLastRequest) }

  private mutating func decide(_ event: ConnectionEvent, _ now: NIODeadline) -> ConnectionAction {
    switch event {
    case .opened:
      idleSince = now
      return .none
    case .readAsked:
      guard isRequestExpected && !isBodyEnded || wantsRead else { return .drop }
      isReadPending = true
      return .forward
    case .readDone:
      isReadPending = false
      return .none
    case .requestHead, .requestBody, .requestEnd: return request(event, now)
    case .continueHead, .responseHead, .responseBody, .responseEnd: return response(event, now)
    case .unsent(let count):
      measure(count, now)
      return .none
    case .dropped(let count):
      dropLeft -= count
      return .none
    case .closeAsked(let outputOnly): return closeAsked(outputOnly: outputOnly)
    case .bodyEndAsked: return endBody()
    case .bodyUnread:
      phase = .closed
      return .close(.slowBody)
    case .outputClosed:
      if phase != .closed {
        phase = .lingering
        dropUntil = dropUntil ?? now + limits.dropTime
      }
      return .none
    case .tick: return tick(now)
    }
  }

  private mutating func request(
    _ event: ConnectionEvent, _ now: NIODeadline
  ) -> ConnectionAction {
    if phase == .draining { return drain(event, now) }
    guard isRequestExpected, !isBodyEnded else { return .drop }
    switch event {
    case .requestHead(let isLast, let expectsContinue, let length):
      inFlight += 1
      isReceiving = true
      isLastRequest = isLast
      bodyLeft = length
      awaitsContinue = expectsContinue
      pace = BodyPace(limits: limits)
      return .forward
    case .requestBody(let count):
      awaitsContinue = false
      bodyLeft -= count
      pace?.receive(count)
      guard pace?.isTooFragmented == true else { return .forward }
      phase = .closed
      return .close(.crumbs)
    default:
      isReceiving = false
      awaitsContinue = false
      pace = nil
      return isLastRequest ? .forwardLast : .forward
    }
  }

  private mutating func drain(_ event: ConnectionEvent, _ now: NIODeadline) -> ConnectionAction {
    switch event {
    case .requestBody(let count):
      dropLeft -= count
      return dropLeft > 0 ? .drop : finish()
    case .requestEnd:
      phase = .serving
      isReceiving = false
      idleSince = now
      dropLeft = limits.dropBytes
      dropUntil = nil
      return .forward
    default: return .drop
    }
  }

  private mutating func response(
    _ event: ConnectionEvent, _ now: NIODeadline
  ) -> ConnectionAction {
    guard phase == .serving else { return .drop }
    switch event {
    case .continueHead:
      guard awaitsContinue, inFlight == 1 else { return .drop }
      awaitsContinue = false
      return .forward
    case .responseHead(let closes):
      // Without a 100 the client may or may not send the body, so the connection ends. It also ends if more body bytes
      // are still to come than the guard drops (RFC 9112, 9.3).
      let isUnread = isReceiving && bodyLeft > limits.dropBytes
      let isLast = inFlight <= 1 && (isLastRequest || awaitsContinue || isUnread)
      if inFlight <= 1 { awaitsContinue = false }
      closesAfterResponse = closes || isLast
      return isLast && !closes ? .forwardClosing : .forward
    case .responseBody(let count):
      written += count
      return .forward
    default:
      // The response to a head that couldn't be parsed arrives while `inFlight` is 0.
      inFlight = max(0, inFlight - 1)
      if closesAfterResponse { return finish() }
      guard inFlight == 0 else { return .forward }
      idleSince = now
      guard isReceiving else { return .forward }
      phase = .draining
      pace = nil
      dropUntil = now + limits.dropTime
      return .forwardDraining
    }
  }

  private mutating func endBody() -> ConnectionAction {
    guard phase == .serving, isReceiving, !isBodyEnded else { return .none }
    isBodyEnded = true
    isLastRequest = true
    awaitsContinue = false
    pace = nil
    return .endBody
  }

  private mutating func measure(_ count: Int, _ now: NIODeadline) {
    let sent = written - count
    unsent = count
    measuredAt = now
    if count == 0 {
      if stalledSince != nil { idleSince = now }
      stalledSince = nil
      if phase == .finishing { dropUntil = dropUntil ?? now + limits.dropTime }
    } else if stalledSince == nil || sent > sentThen {
      stalledSince = now
      sentThen = sent
    }
  }

  private mutating func closeAsked(outputOnly: Bool) -> ConnectionAction {
    switch phase {
    case .serving where unsent == 0 && !outputOnly:
      phase = .closed
      return .forward
    case .serving, .draining: return finish()
    case .finishing, .lingering: return .drop
    case .closed: return .forward
    }
  }

  private mutating func finish() -> ConnectionAction {
    phase = .finishing
    pace = nil
    return .finish
  }

  private mutating func tick(_ now: NIODeadline) -> ConnectionAction {
    pace?.advance(to: now)
    let reason: CloseReason
    if let stalledSince, now >= stalledSince + limits.writeStall {
      reason = .slowReader
    } else if phase == .serving, pace?.isTooSlow == true {
      return endBody()
    } else if phase == .serving, isIdle, now >= idleSince + limits.idle {
      reason = .idle
    } else if let dropUntil, now >= dropUntil, unsent == 0 || phase == .draining {
      if phase == .draining { return finish() }
      reason = .finished
    } else {
      return .none
    }
    phase = .closed
    return .close(reason)
  }
}
