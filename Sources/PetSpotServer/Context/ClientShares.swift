package import PhotoAttachments
import ReportFlow

/// What one client may use, in one place; nil for what is not limited.
struct ClientShares: Sendable {
  /// Connections that are open.
  var connections: Int? = 256
  /// Request bodies under way.
  var bodies: Int? = 32
  /// Pages and lists that wait for their turn.
  var pages: Int? = 64
  /// Searches that wait for their turn.
  var searches: Int? = 8
  /// Photos and sizes that wait for a decoder.
  var decoders: Int? = 32
  /// Requests that wait for an upload whose photo is judged.
  var uploadWaits: Int? = 2
  /// Event streams that are open.
  var streams: Int? = 32
  /// Bytes that may be added to the announced pictures in 30 days.
  var photoBytes: Int?
}

/// What costs the server something and is counted by client: so many at once, and so many more each second.
enum ClientAct: Sendable {
  case create, change, draft, form
  /// A short address that leads nowhere.
  case miss

  /// How many pass at once.
  var most: Int { self == .form ? 600 : 60 }

  /// The time in which one more passes.
  var interval: Duration { .milliseconds(self == .form ? 100 : 1000) }
}

extension ServerConfiguration {
  /// What one client may use.
  var shares: ClientShares {
    limitsClients
      ? ClientShares(photoBytes: photoSpace / 20)
      : ClientShares(
        connections: nil, bodies: nil, pages: nil, searches: nil, decoders: nil, uploadWaits: nil,
        streams: nil)
  }

  /// How much may be uploaded in pieces.
  package var uploads: UploadLimits {
    var limits = UploadLimits()
    limits.length = uploadLimit
    if !limitsClients {
      limits.openPerClient = limits.open
      limits.bytesPerClient = limits.bytes
    }
    return limits
  }

  /// The space of web drafts, of which one client has a twentieth.
  var drafts: DraftSpace { DraftSpace(bytes: draftSpace, limitsClients: limitsClients) }
}
