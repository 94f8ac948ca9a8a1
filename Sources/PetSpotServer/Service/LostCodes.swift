import Synchronization

/// A queue of requests for lost codes, which wait for the database and run one after the other. A client can have one
/// request per announcement. Requests beyond `most` are dropped. The page doesn't wait for them.
final class LostCodes: Sendable {
  /// The maximum number of requests, including the running one.
  static let most = 100

  private struct CodeRequest: Sendable {
    let announcement: String
    let client: ClientNetwork
    let work: @Sendable () async -> Void
  }

  private let waiting = Mutex<[CodeRequest]>([])

  /// The number of requests, including the running one.
  var count: Int { waiting.withLock { $0.count } }

  /// Adds a request, unless the queue is full or already has it.
  func add(
    _ announcement: String, by client: ClientNetwork, _ work: @escaping @Sendable () async -> Void
  ) {
    let isFirst = waiting.withLock { waiting in
      let isKnown = waiting.contains { $0.announcement == announcement && $0.client == client }
      if isKnown || waiting.count >= Self.most { return false }
      waiting.append(CodeRequest(announcement: announcement, client: client, work: work))
      return waiting.count == 1
    }
    // A single task runs the requests, and ends when the queue is empty. Detached, because the response must not show how
    // long a request takes.
    if isFirst { Task.detached { await self.processRequests() } }
  }

  private func processRequests() async {
    var next = waiting.withLock { $0.first }
    while let request = next {
      await request.work()
      next = waiting.withLock { waiting in
        waiting.removeFirst()
        return waiting.first
      }
    }
  }
}
