package import Foundation
import Hashing

extension UUID {
  /// The key under which a repository keeps what a client names by `text`, its `Idempotency-Key`: of
  /// one text always the same. Its version is 8 (RFC 9562, 5.8) and a draft's own key has 4, so that
  /// no text of a client means a draft's announcement.
  package init(idempotencyKey text: String) {
    var bytes = Array(SHA256.digest(of: Array(("http:" + text).utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
