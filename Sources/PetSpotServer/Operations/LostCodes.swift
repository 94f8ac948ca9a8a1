import Synchronization

/// Requests for lost codes that wait for the database, and are done one after the other. Each client has one for an
/// announcement, and there are at most `most`; further ones are dropped. The page has answered by then.
final class LostCodes: Sendable {
  /// How many may wait, the one under way included.
  static let most = 100

  private struct Request: Sendable {
    let announcement: String
    let client: ClientNetwork
    let work: @Sendable () async -> Void
  }

  private let waiting = Mutex<[Request]>([])

  /// How many wait.
  var count: Int { waiting.withLock { $0.count } }

  /// Adds a request, unless it has to be dropped.
  func add(
    _ announcement: String, by client: ClientNetwork, _ work: @escaping @Sendable () async -> Void
  ) {
    let isFirst = waiting.withLock { waiting in
      let isKnown = waiting.contains { $0.announcement == announcement && $0.client == client }
      if isKnown || waiting.count >= Self.most { return false }
      waiting.append(Request(announcement: announcement, client: client, work: work))
      return waiting.count == 1
    }
    // One task at a time, which ends when nothing waits any more.
    if isFirst { Task.detached { await self.run() } }
  }

  private func run() async {
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
