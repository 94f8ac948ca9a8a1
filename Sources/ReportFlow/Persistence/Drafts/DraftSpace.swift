/// The limit on the disk space of web drafts, which are drafts of visitors and are charged to their client. Drafts of
/// the command line and announced photos don't count and are never deleted for space.
///
/// A client may use a twentieth of the space. If it exceeds its share, its own drafts are deleted. If all drafts exceed
/// the space, drafts of all clients are deleted. The drafts that haven't been touched for longest are deleted first. A
/// draft stays while it's being submitted or its photo is loading. Announcements keep their photos.
public struct DraftSpace: Sendable, Equatable {
  /// The space for all web drafts in bytes.
  package var bytes: Int
  /// `true` if each client is limited to its share.
  package var limitsClients: Bool

  /// The default space, 10 GB.
  public static let standardBytes = 10_000_000_000
  /// The maximum number of drafts per client, regardless of their size.
  package static let draftsOfClient = 200
  /// The bytes that a draft occupies besides its text and pictures.
  package static let bytesOfDraft = 4096
  /// The time in seconds for which a draft with an abandoned submission counts as being submitted. Its code is shown
  /// for as long.
  package static let submissionSeconds = 3600

  /// Creates a space of this size.
  public init(bytes: Int = DraftSpace.standardBytes, limitsClients: Bool = true) {
    self.bytes = bytes
    self.limitsClients = limitsClients
  }

  /// The space for one client's drafts in bytes.
  package var bytesOfClient: Int { bytes / 20 }
}

/// The result of making room for a web draft.
package enum DraftRoom: Sendable, Equatable {
  /// There is room. These numbers of drafts, and of their pictures' files and bytes, were deleted.
  case made(drafts: Int, files: Int, bytes: Int)
  /// The client's share is used up, but too few of its drafts can be deleted.
  case shareUsedUp
  /// The whole space is used up, but too few drafts can be deleted.
  case spaceUsedUp
}

/// A web draft that is considered for deletion.
struct HeldDraft: Sendable, Equatable {
  let id: String
  let revision: Int64
  /// The space that it occupies.
  let bytes: Int
  /// `true` if it may be deleted.
  let isDeletable: Bool
}

extension DraftSpace {
  /// Returns the drafts to delete so that a draft of `own` bytes fits beside the others, or `nil` if too few may be
  /// deleted.
  ///
  /// - Parameters:
  ///   - others: the other drafts, least recently touched first.
  ///   - own: the bytes of the draft that stays, or `nil` if there is no such draft.
  ///   - ofClient: `true` if these are the drafts of one client.
  func draftsToDelete(_ others: [HeldDraft], own: Int?, ofClient: Bool) -> [HeldDraft]? {
    let maxBytes = ofClient ? bytesOfClient : bytes
    let maxDrafts = ofClient ? Self.draftsOfClient : .max
    var bytes = others.reduce(own ?? 0) { $0 + $1.bytes }
    var count = others.count + (own == nil ? 0 : 1)
    var going: [HeldDraft] = []
    for draft in others where draft.isDeletable && (bytes > maxBytes || count > maxDrafts) {
      bytes -= draft.bytes
      count -= 1
      going.append(draft)
    }
    return bytes <= maxBytes && count <= maxDrafts ? going : nil
  }
}
