import NIOCore
import Synchronization

/// Counts open connections by client and in all, and refuses those above the limits.
final class ClientConnections: Sendable {
  /// What a connection holds from `take` to `leave`.
  struct Place: Sendable {
    fileprivate let client: ClientNetwork
  }

  private let perClient: Int?
  private let total: Int
  private let proxies: [Network]
  private let open = Mutex<(all: Int, byClient: [ClientNetwork: Int])>((0, [:]))

  /// Counts from none.
  ///
  /// - Parameters:
  ///   - perClient: how many connections one client may hold; nil counts only all of them.
  ///   - total: how many there may be in all.
  ///   - proxies: networks whose connections are those of many clients.
  init(perClient: Int? = 256, total: Int = 10_240, proxies: [Network] = []) {
    (self.perClient, self.total, self.proxies) = (perClient, total, proxies)
  }

  /// How many places are taken.
  var count: Int { open.withLock { $0.all } }

  /// Takes a place.
  ///
  /// - Returns: what to give back with `leave`, or nil when there is none.
  func take(_ address: SocketAddress?) -> Place? {
    let client = ClientNetwork(address)
    let isProxy = address?.ipAddress.map { text in proxies.contains { $0.contains(text) } } ?? false
    return open.withLock { open in
      let taken = open.byClient[client, default: 0]
      guard open.all < total else { return nil }
      if let perClient, client != .local, !isProxy, taken >= perClient { return nil }
      open.all += 1
      open.byClient[client] = taken + 1
      return Place(client: client)
    }
  }

  /// Gives a place back, once.
  func leave(_ place: Place) {
    open.withLock { open in
      open.all -= 1
      let left = open.byClient[place.client, default: 1] - 1
      open.byClient[place.client] = left > 0 ? left : nil
    }
  }
}
