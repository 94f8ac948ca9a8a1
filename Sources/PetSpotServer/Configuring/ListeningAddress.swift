import Foundation
import NIOCore
import Synchronization

/// Where the server can be reached, known once it listens.
final class ListeningAddress: Sendable {
  private let text = Mutex("")

  /// What addresses begin with, without a slash at the end.
  var base: String { text.withLock { $0 } }

  /// Notes where a server listens, unless it was said what addresses begin with.
  func note(_ address: SocketAddress?, _ configuration: ServerConfiguration) {
    let scheme = configuration.tls == nil ? "http" : "https"
    let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    let own = "\(scheme)://\(host):\(address?.port ?? configuration.port)"
    var base = configuration.baseURL?.absoluteString ?? own
    while base.hasSuffix("/") { base.removeLast() }
    text.withLock { $0 = base }
  }
}
