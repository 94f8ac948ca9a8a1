import Foundation
import GRDB
import PhotoAttachments

/// A draft's attachment as a row of the catalog: the state machine, who is loading, and when it
/// last changed.
struct AttachmentRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "attachment"
  typealias Machine = AttachmentRecord.Machine

  var draft: String
  var state: String
  var ticket: Int64?
  var photo: String?
  var ownerPid: Int32?
  var ownerStartTicks: Int64?
  var ownerBoot: String?
  var ownerLock: String?
  var failure: String?
  var failedAtMilliseconds: Int64?
  var updatedAtMilliseconds: Int64

  /// The row for a machine's state; an attempt under way belongs to `owner`.
  init(draft: String, machine: Machine, owner: Owner?, now: Date) {
    self.draft = draft
    photo = machine.photo?.uuidString
    (state, ticket) = (machine.storedState, machine.ticket)
    switch ticket.flatMap({ _ in owner }) {
    case .process(let identity)?:
      ownerPid = identity.pid
      ownerStartTicks = Int64(clamping: identity.startTicks)
      ownerBoot = identity.bootID
    case .lock(let name)?:
      // The schema wants a process beside it, which says nothing here.
      (ownerPid, ownerStartTicks, ownerBoot, ownerLock) = (0, 0, "", name)
    case nil: break
    }
    failure = machine.failure
    failedAtMilliseconds = machine.failure.map { _ in now.milliseconds }
    updatedAtMilliseconds = now.milliseconds
  }

  /// The state machine as it was left.
  var machine: Machine {
    get throws(StoreError) {
      try Machine(stored: state, photo: photo, ticket: ticket, failure: failure, of: draft)
    }
  }

  /// Whose attempt is under way.
  var owner: Owner? {
    if let ownerLock { return .lock(ownerLock) }
    guard let ownerPid, let ownerStartTicks, let ownerBoot else { return nil }
    return .process(
      ProcessIdentity(
        pid: ownerPid, startTicks: UInt64(clamping: ownerStartTicks), bootID: ownerBoot))
  }

  /// The row of a draft.
  static func fetch(_ db: Database, draft: String) throws -> AttachmentRow? {
    try AttachmentRow.fetchOne(
      db, sql: "SELECT * FROM attachment WHERE draft = ?", arguments: [draft])
  }

  /// Drafts in which a photo is shown or waits behind an attempt.
  static func drafts(_ db: Database, with photo: UUID) throws -> [String] {
    try String.fetchAll(
      db, sql: "SELECT draft FROM attachment WHERE photo = ?", arguments: [photo.uuidString])
  }

  /// A ticket that was never issued before in this catalog, whatever was removed since.
  static func issueTicket(_ db: Database) throws -> Machine.Ticket {
    try db.execute(sql: "UPDATE photoCatalog SET lastTicket = lastTicket + 1")
    return try Machine.Ticket.fetchOne(db, sql: "SELECT lastTicket FROM photoCatalog") ?? 0
  }
}
