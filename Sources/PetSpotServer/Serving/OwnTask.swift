import HummingbirdCore

/// Answers each request in a task of its own, to its last byte: a task keeps the memory that it once took,
/// and the connection's task would keep a request's for as long as the connection is idle.
enum OwnTask {
  static func responder(
    _ responder: @escaping HTTPChannelHandler.Responder
  ) -> HTTPChannelHandler.Responder {
    { request, writer, channel in
      // Only the task below touches it, and nothing else does any more.
      nonisolated(unsafe) var writer: ResponseWriter? = consume writer
      let task = Task { try await responder(request, writer.take()!, channel) }
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }
}
