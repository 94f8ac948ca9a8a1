package import Foundation

/// A file on its way here, as it stands.
package struct Upload: Sendable, Equatable {
  /// Its secret name: 32 lower-case hexadecimal digits.
  package var token: String
  /// Whose it is, such as `draft:…` or `announcement:…`.
  package var owner: String
  /// The whole file's size in bytes; the most that it may have while the client does not know it.
  package var length: Int
  /// Whether `length` is the file's own.
  package var hasLength = true
  /// As the client gave it, not yet fit for records and screens.
  package var fileName: String?
  /// How many bytes are here and survive SIGKILL and power loss.
  package var offset: Int
  /// When it is over unless it is finished.
  package var expires: Date
  /// What became of it, nil as long as it is open.
  package var outcome: UploadOutcome?

  /// The name of a draft among the owners of uploads.
  package static func owner(draft id: String) -> String { "draft:" + id }

  /// The name of an announcement among the owners of uploads.
  package static func owner(announcement id: String) -> String { "announcement:" + id }

  /// Whether all bytes are here.
  package var isWhole: Bool { hasLength && offset == length }
}

/// What became of an upload.
package enum UploadOutcome: Sendable, Equatable, Codable {
  /// The photo is attached.
  case confirmed
  /// The photo was refused, with this HTTP status and this body.
  case refused(status: Int, body: [UInt8])
}

/// How much may be uploaded, and for how long.
package struct UploadLimits: Sendable {
  /// Bytes of one file.
  package var length = 20 << 20
  /// Open uploads of one client.
  package var openPerClient = 8
  /// Open uploads of all clients.
  package var open = 200
  /// Seconds without a byte after which an upload is not counted among the open ones, until the next
  /// request that adds some.
  package var idle: TimeInterval = 600
  /// Bytes that the unfinished uploads of one client may come to. Beyond, those of its own that gave up
  /// their places are deleted when it makes another, the one that waited longest for bytes first.
  package var bytesPerClient = 512 << 20
  /// Bytes that those of all clients may come to; beyond, the client with the most loses some.
  package var bytes = 8 << 30
  /// Seconds that an upload may take, from its creation.
  package var life: TimeInterval = 24 * 3600
  /// Seconds that an upload is known to be expired after that.
  package var expiredMemory: TimeInterval = 24 * 3600
  /// Seconds that a finished upload's outcome is known.
  package var outcomeMemory: TimeInterval = 600
  /// Seconds after which a file that belongs to no upload is taken for left behind.
  package var strayAge: TimeInterval = 3600

  /// The limits of the contract.
  package init() {}
}

/// The secret names of uploads.
package enum UploadToken {
  /// A new one.
  package static func new() -> String { randomName() }

  /// Whether this is the form of one. No path is ever made of anything else.
  package static func isToken(_ text: some StringProtocol) -> Bool {
    isHexadecimal(text, digits: 32)
  }
}
