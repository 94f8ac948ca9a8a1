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

/// A web draft as a storage finds it while it makes room.
package struct HeldDraft: Sendable, Equatable {
  package let id: String
  /// As it was read.
  package let revision: Int64
  /// What it takes.
  package let bytes: Int
  /// Whether it may give way.
  package let mayGo: Bool

  package init(id: String, revision: Int64, bytes: Int, mayGo: Bool) {
    (self.id, self.revision, self.bytes, self.mayGo) = (id, revision, bytes, mayGo)
  }
}

extension DraftSpace {
  /// The drafts that have to give way so that one of `own` bytes has room beside the others; nil when
  /// not enough of them may.
  ///
  /// - Parameters:
  ///   - others: in the order in which they were touched last.
  ///   - own: bytes of the draft that stays; nil for none.
  ///   - ofClient: whether these are the drafts of one client.
  package func givingWay(_ others: [HeldDraft], own: Int?, ofClient: Bool) -> [HeldDraft]? {
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

/// Which drafts give way, by what a storage finds.
package struct DraftPlan {
  /// These.
  package private(set) var going: [HeldDraft] = []
  private var refusal: DraftRoom?

  /// Looks at the client's share first, then at the whole space, whose drafts are only read when it is
  /// used up.
  ///
  /// - Parameters:
  ///   - own: bytes of the draft that needs the room; nil for none.
  ///   - ofClient: the other drafts of the client, those first that were touched longest ago.
  ///   - total: bytes of all other web drafts.
  ///   - ofAll: all other web drafts, in the same order.
  package init(
    _ space: DraftSpace, own: Int?, client: String?, ofClient: () throws -> [HeldDraft],
    total: () throws -> Int, ofAll: () throws -> [HeldDraft]
  ) throws {
    if client != nil, space.limitsClients {
      guard let theirs = space.givingWay(try ofClient(), own: own, ofClient: true) else {
        refusal = .shareUsedUp
        return
      }
      going = theirs
    }
    let rest = try total() - going.reduce(0) { $0 + $1.bytes }
    guard rest + (own ?? 0) > space.bytes else { return }
    let others = try ofAll().filter { !going.contains($0) }
    if let more = space.givingWay(others, own: own, ofClient: false) {
      going += more
    } else {
      (going, refusal) = ([], .spaceUsedUp)
    }
  }

  /// What became of it.
  ///
  /// - Parameters:
  ///   - files: how many were deleted.
  ///   - bytes: theirs.
  package func room(files: Int, bytes: Int) -> DraftRoom {
    refusal ?? .made(drafts: going.count, files: files, bytes: bytes)
  }
}
