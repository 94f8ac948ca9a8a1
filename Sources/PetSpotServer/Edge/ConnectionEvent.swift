/// What happens on a connection, as `ConnectionState` sees it.
enum ConnectionEvent: Sendable {
  /// The connection is there.
  case opened
  /// The server is ready to take more bytes; true to what it asks until `readDone`.
  case readAsked
  /// A read from the socket is over.
  case readDone
  /// A request begins. `isLast`: nothing may follow it (`CONNECT`, `Upgrade`, `Connection: close`);
  /// `expectsContinue`: its client waits for 100 (RFC 9110 10.1.1); `length`: bytes of its body, 0 where it doesn't say.
  case requestHead(isLast: Bool, expectsContinue: Bool, length: Int = 0)
  /// So many bytes of a request body.
  case requestBody(Int)
  /// A request is complete.
  case requestEnd
  /// Somebody wants to send 100 Continue.
  case continueHead
  /// An answer begins; whether it says `Connection: close`.
  case responseHead(closes: Bool)
  /// So many bytes of an answer's body.
  case responseBody(Int)
  /// An answer is complete, though maybe not sent.
  case responseEnd
  /// So many bytes of answers wait for the socket now.
  case unsent(Int)
  /// So many bytes came after the last that are parsed.
  case dropped(Int)
  /// The server wants to close the whole connection, or its output only.
  case closeAsked(outputOnly: Bool)
  /// The server wants no more of the body that comes in.
  case bodyEndAsked
  /// No handler waits for the body that was to be ended.
  case bodyUnread
  /// The output is shut: the client knows that no more comes.
  case outputClosed
  /// A deadline is over.
  case tick
}

/// What to do about an event.
enum ConnectionAction: Equatable, Sendable {
  /// Nothing, or leave things as they are.
  case none
  /// Pass the part, read or close on.
  case forward
  /// Pass the answer's head on with `Connection: close`.
  case forwardClosing
  /// Pass the end of an answer on, then read and drop what is left of its request.
  case forwardDraining
  /// Pass the end of the last request on; what comes behind it is not parsed any more.
  case forwardLast
  /// End the body for the server, which answers its request; what still comes of it is dropped.
  case endBody
  /// Swallow the part, read or close.
  case drop
  /// Pass a part of an answer on (or drop one of a request), send everything, shut the output, drop
  /// what comes, and close when the client did or the limits are reached.
  case finish
  /// Close at once.
  case close(CloseReason)
}

/// Why the guard closed a connection.
enum CloseReason: String, Equatable, Sendable {
  /// No request head in time.
  case idle
  /// A request body came too slowly.
  case slowBody
  /// A request body came in too many too small pieces.
  case crumbs
  /// An answer was not taken.
  case slowReader
  /// Too many connections, of this client or in all.
  case crowded
  /// The last answer is out.
  case finished
}
