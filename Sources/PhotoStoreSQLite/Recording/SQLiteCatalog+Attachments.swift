package import Foundation
import GRDB
package import PhotoAttachments

/// What drafts show.
extension SQLiteCatalog {
  package func attachment(draft: String) throws(StoreError) -> AttachmentRecord? {
    try read { db in
      guard let row = try AttachmentRow.fetch(db, draft: draft) else { return nil }
      return try record(of: row, db)
    }
  }

  func record(of row: AttachmentRow, _ db: Database) throws -> AttachmentRecord {
    let machine = try row.machine
    return AttachmentRecord(
      draft: row.draft, machine: machine,
      isOwnerAlive: isAlive(row),
      photo: try machine.photo.flatMap { try SealedRecord.fetch(db, id: $0.uuidString) })
  }

  private func isAlive(_ row: AttachmentRow) -> Bool {
    LiveAttempts.isAlive(row.ticket, of: row.owner, in: folder)
  }

  package func begin(draft: String, at now: Date) throws(StoreError) -> Machine.Ticket {
    var begun: Machine.Ticket?
    do throws(StoreError) {
      return try write { db in
        let ticket = try AttachmentRow.issueTicket(db)
        // Before anybody can see the row.
        LiveAttempts.begin(ticket, in: folder)
        begun = ticket
        _ = try apply(.pick(ticket), to: draft, at: now, db)
        return ticket
      }
    } catch {
      if let begun { end(begun) }
      throw error
    }
  }

  package func end(_ ticket: Machine.Ticket) { LiveAttempts.end(ticket, in: folder) }

  package func handle(
    _ event: Machine.Event, draft: String, at now: Date
  ) throws(StoreError) -> Applied {
    try write { try apply(event, to: draft, at: now, $0) }
  }

  package func restore(draft: String, at now: Date) throws(StoreError) {
    try write { db in
      guard let row = try AttachmentRow.fetch(db, draft: draft) else { return }
      _ = try apply(try record(of: row, db).restored(), to: draft, at: now, db)
    }
  }

  package func confirm(
    _ photo: SealedRecord, draft: String, ticket: Machine.Ticket?, at now: Date,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Applied? {
    guard let id = UUID(uuidString: photo.id) else { throw .fault(what: "record") }
    return try write { db in
      guard try naming() else { return nil }
      try photo.insert(db)
      let ticket = try ticket ?? pick(draft, at: now, db)
      return try apply(.succeeded(ticket, id), to: draft, at: now, db)
    }
  }

  /// Begins an attempt that ends in the same transaction.
  private func pick(_ draft: String, at now: Date, _ db: Database) throws -> Machine.Ticket {
    let ticket = try AttachmentRow.issueTicket(db)
    _ = try apply(.pick(ticket), to: draft, at: now, db)
    return ticket
  }

  package func attach(
    asset: UUID, as id: UUID, draft: String, at now: Date,
    naming: (SealedRecord) throws(StoreError) -> Void
  ) throws(StoreError) -> (photo: SealedRecord, applied: Applied) {
    try write { db in
      guard try LibraryRow.fetch(db, id: asset) != nil,
        let original = try SealedRecord.fetch(db, id: asset.uuidString)
      else { throw StoreError.missingPhoto }
      try naming(original)
      let photo = original.picked(as: id, from: asset, at: now)
      try photo.insert(db)
      let ticket = try pick(draft, at: now, db)
      return (photo, try apply(.succeeded(ticket, id), to: draft, at: now, db))
    }
  }

  package func remove(photo: UUID, at now: Date) throws(StoreError) -> [BlobPath] {
    try write { db in
      var gone: [BlobPath] = []
      for draft in try AttachmentRow.drafts(db, with: photo) {
        gone += try apply(.forget(photo), to: draft, at: now, db).gone
      }
      return gone + (try SealedRecord.deleteUnreferenced(db, id: photo.uuidString))
    }
  }

  package func forget(
    asset: UUID
  ) throws(StoreError) -> (drafts: [String], gone: [BlobPath]) {
    try write { try forget(asset: asset, $0) }
  }

  func forget(asset: UUID, _ db: Database) throws -> (drafts: [String], gone: [BlobPath]) {
    guard try LibraryRow.fetch(db, id: asset) != nil else { throw StoreError.missingPhoto }
    let id = asset.uuidString
    let files = try Row.fetchAll(
      db, sql: "SELECT path, sha256 FROM sourceFile WHERE photo = ? AND sha256 IS NOT NULL",
      arguments: [id])
    try ErasureRow.insert(
      [ErasureMark.library(id)]
        + files.map { ErasureMark.file(path: Array($0[0] as Data), sha256: $0[1]) }, db)
    try db.execute(sql: "DELETE FROM libraryPhoto WHERE photo = ?", arguments: [id])
    let drafts = try String.fetchAll(
      db,
      sql: """
        SELECT draft FROM attachment JOIN photo ON photo.id = attachment.photo
        WHERE assetIdentifier = ? ORDER BY draft
        """, arguments: [id])
    try db.execute(
      sql: """
        UPDATE attachment SET failure = 'asset-forgotten'
        WHERE photo IN (SELECT id FROM photo WHERE assetIdentifier = ?)
        """, arguments: [id])
    try db.execute(
      sql: "UPDATE photo SET assetIdentifier = NULL WHERE assetIdentifier = ?", arguments: [id])
    for draft in drafts { try publish(draft, db) }
    return (drafts, try erase(photo: id, db))
  }

  /// Deletes a photo that nothing refers to any more, and leaves its mark.
  func erase(photo id: String, _ db: Database) throws -> [BlobPath] {
    let gone = try SealedRecord.deleteUnreferenced(db, id: id)
    if try SealedRecord.fetch(db, id: id) == nil {
      try ErasureRow.insert([ErasureMark.photo(id)], db)
    }
    return gone
  }

  /// Lets a draft's last event happen, and deletes its attachment when that leaves it empty.
  func end(
    draft: String, by event: Machine.Event, at now: Date, _ db: Database
  ) throws -> [BlobPath] {
    let applied = try apply(event, to: draft, at: now, db)
    if case .empty = applied.machine.state {
      try db.execute(sql: "DELETE FROM attachment WHERE draft = ?", arguments: [draft])
    }
    return applied.gone
  }

  package func touch(draft: String, at now: Date) throws(StoreError) {
    try write { db in
      try db.execute(
        sql: "UPDATE attachment SET updatedAtMilliseconds = ? WHERE draft = ?",
        arguments: [now.milliseconds, draft])
    }
  }

  package func expire(
    before limit: Date, believable: ClosedRange<Date>, dryRun: Bool
  ) throws(StoreError) -> (drafts: Int, gone: [BlobPath]) {
    let now = believable.upperBound
    let range = believable.lowerBound.milliseconds...now.milliseconds
    return try write(dryRun: dryRun) { db in
      var (drafts, gone) = (0, [BlobPath]())
      for row in try AttachmentRow.fetchAll(db) {
        let restored = try apply(try record(of: row, db).restored(), to: row.draft, at: now, db)
        gone += restored.gone
        guard range.contains(row.updatedAtMilliseconds) else {
          try db.execute(
            sql: "UPDATE attachment SET updatedAtMilliseconds = ? WHERE draft = ?",
            arguments: [now.milliseconds, row.draft])
          continue
        }
        guard row.updatedAtMilliseconds < limit.milliseconds else { continue }
        if case .loading = restored.machine.state { continue }
        gone += try apply(.expire, to: row.draft, at: now, db).gone
        try db.execute(sql: "DELETE FROM attachment WHERE draft = ?", arguments: [row.draft])
        drafts += 1
      }
      return (drafts, try Set(gone).filter { try !$0.isReferenced(db) })
    }
  }

  package func abandonedDrafts() throws(StoreError) -> [String] {
    try read { db in
      try AttachmentRow.fetchAll(db, sql: "SELECT * FROM attachment WHERE state = 'loading'")
        .filter { !isAlive($0) }.map(\.draft)
    }
  }

  /// Lets an event happen to a draft, in the transaction of `db`; watchers hear of it after the
  /// commit.
  func apply(
    _ event: Machine.Event, to draft: String, at now: Date, _ db: Database
  ) throws -> Applied {
    let row = try AttachmentRow.fetch(db, draft: draft)
    let before = try row?.machine ?? .init()
    var applied = Applied(machine: before)
    let action = applied.machine.handle(event)
    if applied.machine != before {
      // Who picks owns the attempt; any other event leaves it with whom it belongs to.
      var owner = row?.owner
      if case .pick = event { owner = try us.current() }
      try AttachmentRow(draft: draft, machine: applied.machine, owner: owner, now: now).upsert(db)
    }
    if case .giveUp(let photo) = action {
      applied.gone = try SealedRecord.deleteUnreferenced(db, id: photo.uuidString)
    }
    if applied.machine.state != before.state { try publish(draft, db) }
    return applied
  }
}
