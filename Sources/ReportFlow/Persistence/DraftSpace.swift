/// How much disk space web drafts may take: drafts of visitors, each counted for a client. Drafts
/// of the command line and announced photos don't count and are never deleted for space.
///
/// A client has a twentieth of the space. Over its share its own drafts give way, over the whole space
/// those of all clients, each time the one first that was untouched for longest. A draft stays that is
/// being submitted, or whose photo is loading. Announcements keep their photos.
public struct DraftSpace: Sendable, Equatable {
  /// Bytes of all web drafts.
  public var bytes: Int
  /// Whether one client has a share of its own.
  public var limitsClients: Bool

  /// 10 GB.
  public static let standardBytes = 10_000_000_000
  /// How many drafts one client may have, whatever is in them.
  public static let draftsOfClient = 200
  /// Bytes that a draft takes beside its text and its photo's pictures.
  package static let bytesOfDraft = 4096
  /// Seconds for which a draft with a submission that no request works on still counts as being submitted;
  /// its code is shown for as long.
  package static let submissionSeconds = 3600

  /// A space of so many bytes.
  public init(bytes: Int = DraftSpace.standardBytes, limitsClients: Bool = true) {
    (self.bytes, self.limitsClients) = (bytes, limitsClients)
  }

  /// Bytes of one client's drafts.
  public var bytesOfClient: Int { bytes / 20 }
}

/// What came of making room for a web draft.
public enum DraftRoom: Sendable, Equatable {
  /// There is room: so many drafts gave way, and so many files and bytes of their pictures went.
  case made(drafts: Int, files: Int, bytes: Int)
  /// The client's share is used up, and none of its drafts can give way.
  case shareUsedUp
  /// The whole space is used up, and no draft can give way.
  case spaceUsedUp
}

/// A web draft as it is found while room is made.
struct HeldDraft: Sendable, Equatable {
  let id: String
  /// As it was read.
  let revision: Int64
  /// What it takes.
  let bytes: Int
  /// Whether it may give way.
  let mayGo: Bool
}

extension DraftSpace {
  /// The drafts that have to give way so that one of `own` bytes has room beside the others; nil when
  /// not enough of them may.
  ///
  /// - Parameters:
  ///   - others: in the order in which they were touched last.
  ///   - own: bytes of the draft that stays; nil for none.
  ///   - ofClient: whether these are the drafts of one client.
  func givingWay(_ others: [HeldDraft], own: Int?, ofClient: Bool) -> [HeldDraft]? {
    let maxBytes = ofClient ? bytesOfClient : bytes
    let maxDrafts = ofClient ? Self.draftsOfClient : .max
    var bytes = others.reduce(own ?? 0) { $0 + $1.bytes }
    var count = others.count + (own == nil ? 0 : 1)
    var going: [HeldDraft] = []
    for draft in others where draft.mayGo && (bytes > maxBytes || count > maxDrafts) {
      bytes -= draft.bytes
      count -= 1
      going.append(draft)
    }
    return bytes <= maxBytes && count <= maxDrafts ? going : nil
  }
}
