/// An event on a connection, as `ConnectionState` sees it.
enum ConnectionEvent: Sendable {
  /// The connection has opened.
  case opened
  /// The server is ready for more bytes. It waits for them until `readDone`.
  case readAsked
  /// A read from the socket has ended.
  case readDone
  /// A request begins. `isLast` means that no request may follow it (`CONNECT`, `Upgrade`, `Connection: close`),
  /// `expectsContinue` that the client waits for 100 (RFC 9110 10.1.1). The body has `length` bytes, or 0 if unknown.
  case requestHead(isLast: Bool, expectsContinue: Bool, length: Int = 0)
  /// A number of bytes of a request body has arrived.
  case requestBody(Int)
  /// A request is complete.
  case requestEnd
  /// A handler sends 100 Continue.
  case continueHead
  /// A response begins. `closes` means that its head contains `Connection: close`.
  case responseHead(closes: Bool)
  /// A number of bytes of a response body was written.
  case responseBody(Int)
  /// A response is complete, though perhaps not sent.
  case responseEnd
  /// The number of response bytes that wait for the socket now.
  case unsent(Int)
  /// A number of bytes was dropped because nothing is parsed anymore.
  case dropped(Int)
  /// The server asks to close the whole connection, or only its output.
  case closeAsked(outputOnly: Bool)
  /// The server asks for no more of the body that arrives.
  case bodyEndAsked
  /// No handler waits for the body that was to be ended.
  case bodyUnread
  /// The output was shut, so the client can see that no more bytes come.
  case outputClosed
  /// A deadline has passed.
  case tick
}

/// The guard's reaction to an event.
enum ConnectionAction: Equatable, Sendable {
  /// Nothing.
  case none
  /// Forward the part, read or close.
  case forward
  /// Forward the response head with `Connection: close`.
  case forwardClosing
  /// Forward the end of the response, then read and drop the rest of its request.
  case forwardDraining
  /// Forward the end of the last request and stop parsing.
  case forwardLast
  /// End the body for the server, so that it can respond, and drop the rest of the body.
  case endBody
  /// Drop the part, read or close.
  case drop
  /// Forward the part of the response, or drop the part of the request. Then send everything, shut the output, drop
  /// incoming bytes, and close when the client has closed or a limit is reached.
  case finish
  /// Close at once.
  case close(CloseReason)
}

/// Why the guard closed a connection.
enum CloseReason: String, Equatable, Sendable {
  /// No request head arrived in time.
  case idle
  /// A request body arrived too slowly.
  case slowBody
  /// A request body arrived in too many small pieces.
  case crumbs
  /// The client didn't read a response.
  case slowReader
  /// Too many connections, of this client or in all.
  case crowded
  /// The last response was sent.
  case finished
}
