package import Foundation

/// The current state of an upload.
package struct Upload: Sendable, Equatable {
  /// The secret name: 32 lowercase hexadecimal digits.
  package var token: String
  /// The draft or announcement that owns the upload, such as `draft:…` or `announcement:…`.
  package var owner: String
  /// The size of the whole file in bytes. While the client does not know it, the largest size that is allowed.
  package var length: Int
  /// `true` if `length` is the actual size of the file.
  package var hasLength = true
  /// The file name as the client sent it. Not yet sanitized for records and screens.
  package var fileName: String?
  /// The number of bytes received that survive SIGKILL and power loss.
  package var offset: Int
  /// The time at which the upload expires unless it is finished.
  package var expires: Date
  /// The result of the upload. `nil` while it is open.
  package var outcome: UploadOutcome?

  /// Returns the owner name for uploads to a draft.
  package static func owner(draft id: String) -> String { "draft:" + id }

  /// Returns the owner name for uploads to an announcement.
  package static func owner(announcement id: String) -> String { "announcement:" + id }

  /// `true` if all bytes have been received.
  package var isWhole: Bool { hasLength && offset == length }
}

/// The final result of an upload.
package enum UploadOutcome: Sendable, Equatable, Codable {
  /// The photo is attached.
  case confirmed
  /// The photo was refused with this HTTP status and this response body.
  case refused(status: Int, body: [UInt8])
}

/// Limits on the size, number and lifetime of uploads.
package struct UploadLimits: Sendable {
  /// The maximum size of one file in bytes.
  package var length = 20 << 20
  /// The maximum number of open uploads per client.
  package var openPerClient = 8
  /// The maximum number of open uploads across all clients.
  package var open = 200
  /// The time in seconds without a byte after which an upload no longer counts as open. It counts again from the next
  /// request that adds bytes.
  package var idle: TimeInterval = 600
  /// The maximum total size in bytes of one client's unfinished uploads. If a new upload exceeds it, idle uploads of
  /// the same client are deleted, longest idle first.
  package var bytesPerClient = 512 << 20
  /// The maximum total size in bytes of all unfinished uploads. If it is exceeded, the client that uses the most loses
  /// idle uploads.
  package var bytes = 8 << 30
  /// The time in seconds, from its creation, within which an upload must finish.
  package var life: TimeInterval = 24 * 3600
  /// The time in seconds for which an expired upload is reported as expired.
  package var expiredMemory: TimeInterval = 24 * 3600
  /// The time in seconds for which the outcome of a finished upload can be queried.
  package var outcomeMemory: TimeInterval = 600
  /// The age in seconds after which a file that belongs to no upload counts as abandoned.
  package var strayAge: TimeInterval = 3600

  /// Creates the default limits, which are part of the HTTP contract.
  package init() {}
}

/// Creates and checks the secret names of uploads.
package enum UploadToken {
  /// Returns a new random token.
  package static func new() -> String { randomName() }

  /// Returns `true` if the text has the form of a token. Only such texts ever become part of a path.
  package static func isToken(_ text: some StringProtocol) -> Bool {
    isHexadecimal(text, digits: 32)
  }
}
