package import PhotoAttachments
import ReportFlow

/// The most that one client may use. `nil` means no limit.
struct ClientShares: Sendable {
  var connections: Int? = 256
  /// Request bodies in progress.
  var bodies: Int? = 32
  /// Pages and lists that wait for a turn.
  var pages: Int? = 64
  /// Searches that wait for a turn.
  var searches: Int? = 8
  /// Photos and sizes that wait for a decoder.
  var decoders: Int? = 32
  /// Requests that wait for an upload whose photo is being checked.
  var uploadWaits: Int? = 2
  var streams: Int? = 32
  /// Bytes that may be added to the announced pictures in 30 days.
  var photoBytes: Int?
}

/// An act that costs the server work. Each client may do `most` acts at once, and one more per `interval`.
enum ClientAct: Sendable {
  case create, change, draft, form
  /// A request for a short address that doesn't exist.
  case miss

  var most: Int { self == .form ? 600 : 60 }

  var interval: Duration { .milliseconds(self == .form ? 100 : 1000) }
}

extension ServerConfiguration {
  var shares: ClientShares {
    limitsClients
      ? ClientShares(photoBytes: photoSpace / 20)
      : ClientShares(
        connections: nil, bodies: nil, pages: nil, searches: nil, decoders: nil, uploadWaits: nil,
        streams: nil)
  }

  /// The limits of resumable uploads.
  package var uploads: UploadLimits {
    var limits = UploadLimits()
    limits.length = uploadLimit
    if !limitsClients {
      limits.openPerClient = limits.open
      limits.bytesPerClient = limits.bytes
    }
    return limits
  }

  /// The space of web drafts. One client may use a twentieth.
  var drafts: DraftSpace { DraftSpace(bytes: draftSpace, limitsClients: limitsClients) }
}
