public import Foundation
public import PhotoAttachments

/// Where drafts are kept, each as a text under its id. Of what a text says `DraftStore` knows
/// everything; a storage knows `DraftMarks`.
///
/// Each act is one step that is done or not done, on its own and beside others, of this process or
/// another. What an act has written or deleted is on the disk when it returns, and survives a power
/// cut. Acts block their thread while the store works, at most for its patience with others; none
/// waits for anything else. Moments are kept to the millisecond.
///
/// An id is any text without a zero byte. Of another one there is no draft, and writing one throws
/// `.fault("draft-id")`.
///
/// Every act throws `StoreError`: `.database` with `newer-version` when a newer version of this program has
/// changed the store, `.busy`, and what its disk or server answers. Nothing has changed then, unless
/// the answer itself was lost. What a text says is never a reason to throw.
public protocol DraftStorage: Sendable {
  /// Acts that are worth waiting for at the same time: one where each waits for the one before.
  var actsAtOnce: Int { get }

  /// The text of a draft as it was written last, whatever it says, and its revision; nil when there
  /// is none.
  func draft(_ id: String) throws(StoreError) -> DraftRecord?

  /// Writes a draft, unless another process has written or deleted it since it was read: of several
  /// who write over one revision exactly one succeeds.
  ///
  /// - Parameters:
  ///   - content: the draft as JSON.
  ///   - id: the draft's.
  ///   - revision: the one it was read with; nil writes only where there is no draft.
  ///   - moment: when it was changed, by which it expires.
  ///   - client: the client that makes it, which makes it a web draft; nil for a draft of this machine's
  ///     own. A draft that is there keeps the one it has.
  /// - Returns: its new revision, which no draft of this id had before, not even one that was deleted
  ///   since; nil when nothing was written.
  func write(
    _ content: String, of id: String, over revision: Int64?, at moment: Date, client: String?
  ) throws(StoreError) -> Int64?

  /// Makes room in the space of web drafts, see `DraftSpace`: other drafts give way, with their photos.
  /// When not enough can give way none does.
  ///
  /// - Parameters:
  ///   - bytes: what the draft's photo is to take in place of the one it has; nil leaves that as it is.
  ///   - draft: the draft that needs the room and stays; nil for none.
  ///   - client: its client; nil looks at the whole space alone.
  ///   - dryRun: only counts.
  func makeRoom(
    for bytes: Int?, draft: String?, client: String?, in space: DraftSpace, at now: Date,
    dryRun: Bool
  ) throws(StoreError) -> DraftRoom

  /// Deletes a draft, regardless of its writer; none is no error. Names and phone numbers are in it: a
  /// store in a file of its own overwrites what it said.
  func delete(_ id: String) throws(StoreError)

  /// Deletes drafts that were last written before `date` and whose photo, if any, was not touched
  /// since either (decision 12); a dry run only counts.
  ///
  /// With them goes what they left half announced: announcements without a photo, which were never
  /// visible, made before `date`, unless a draft that stays has their submission key. So do counts of
  /// wrong passwords that are as old.
  ///
  /// - Returns: how many drafts without a photo were deleted, or would be. Those with one are counted
  ///   by the sweep of the photos, so that the sum of both is right.
  func expire(before date: Date, dryRun: Bool) throws(StoreError) -> Int

  /// The ids of drafts last written before `date`, nil for all, the oldest first; of the same moment
  /// in the order of their ids' bytes.
  func ids(untouchedSince date: Date?) throws(StoreError) -> [String]

  /// Whether there is a draft of this id whose text says that it was submitted. Asking makes nothing:
  /// where no report was ever kept the answer is no, and the store stays as it is.
  func isSubmitted(_ id: String) throws(StoreError) -> Bool

  /// 32 bytes that can't be guessed, made with the store and the same ones for as long as it lives,
  /// for every program that uses it.
  func secret() throws(StoreError) -> Data
}

extension DraftStorage {
  /// One.
  public var actsAtOnce: Int { 1 }

  /// The same for a draft of this machine's own.
  package func write(
    _ content: String, of id: String, over revision: Int64?, at moment: Date
  ) throws(StoreError) -> Int64? {
    try write(content, of: id, over: revision, at: moment, client: nil)
  }
}

/// A draft as a storage keeps it.
public struct DraftRecord: Sendable, Equatable {
  /// The text that was written.
  public let content: String
  /// Another one after every write.
  public let revision: Int64

  /// A record of these parts.
  public init(content: String, revision: Int64) {
    (self.content, self.revision) = (content, revision)
  }
}

extension MovedRow {
  /// The marks by which it may have been erased (decision 44).
  package func marks(_ kind: MovedKind) -> [String] {
    func text(_ field: String) -> String? { fields[field]?.text }
    let draft = DraftMarks(of: kind == .drafts ? text("content") ?? "" : "")
    let marks: [String?] =
      switch kind {
      case .erasures: []
      case .library, .files:
        [text("photo").map(ErasureMark.photo), text("photo").map(ErasureMark.library)]
      case .attachments: [text("photo").map(ErasureMark.photo)]
      case .drafts:
        [
          draft.announcementID.map(ErasureMark.announcement),
          draft.submissionKey.map(ErasureMark.submission),
        ]
      case .announcements:
        [
          text("id").map(ErasureMark.announcement),
          text("idempotency_key").map(ErasureMark.submission),
        ]
      case .tries: [text("announcement").map(ErasureMark.announcement)]
      }
    return marks.compactMap { $0 }
  }
}

/// What a storage may know of a draft's text. These keys keep their names and places in every form of
/// drafts, so that no storage has to know forms; in a text that has none of them, or is no JSON, a
/// storage finds nothing.
public struct DraftMarks: Sendable, Equatable {
  /// `$.submissionKey`: the key under which an announcement may exist.
  public var submissionKey: String?
  /// `$.submission.announcementID`: the announcement that was made of it.
  public var announcementID: String?
  /// `$.submission.isComplete`: whether it was submitted.
  public var isSubmitted = false

  /// The marks of a draft's text, for storages that cannot look into JSON themselves.
  public init(of content: String) {
    let object = try? JSONSerialization.jsonObject(with: Data(content.utf8)) as? [String: Any]
    let submission = object?["submission"] as? [String: Any]
    submissionKey = object?["submissionKey"] as? String
    announcementID = submission?["announcementID"] as? String
    isSubmitted = submission?["isComplete"] as? Bool ?? false
  }
}
