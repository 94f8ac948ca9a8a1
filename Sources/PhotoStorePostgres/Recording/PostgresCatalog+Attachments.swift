package import Foundation
package import PhotoAttachments

/// What drafts show.
extension PostgresCatalog {
  package func attachment(draft: String) throws(StoreError) -> AttachmentRecord? {
    try database.ask(Self.attachments(where: "draft = $1"), [.text(draft)]).first.flatMap(record)
  }

  /// Attachments of a condition with their photos, of one moment; `record` reads them.
  static func attachments(where condition: String) -> String {
    """
    SELECT \(AttachmentLine.columns), \(PhotoLines.columns)
    FROM attachment LEFT JOIN photo ON photo."id" = attachment.photo
    WHERE \(condition) ORDER BY draft
    """
  }

  /// The attachment in a row.
  ///
  /// - Throws: `StoreError.database("damaged")` for one that cannot be.
  func record(_ row: PostgresRow) throws(StoreError) -> AttachmentRecord? {
    guard let line = AttachmentLine(row) else { return nil }
    return AttachmentRecord(
      draft: line.draft, machine: try line.machine, isOwnerAlive: isAlive(line),
      photo: PhotoLines.record(row, from: AttachmentLine.columnCount))
  }

  private func isAlive(_ line: AttachmentLine) -> Bool {
    heart.isAlive(line.ticket, of: line.worker, isSeen: line.isWorkerSeen)
  }

  private func record(
    of line: AttachmentLine, _ t: PostgresTransaction
  ) throws -> AttachmentRecord {
    let machine = try line.machine
    return AttachmentRecord(
      draft: line.draft, machine: machine, isOwnerAlive: isAlive(line),
      photo: try machine.photo.flatMap { try PhotoLines.fetch(t, id: $0.uuidString) })
  }

  package func begin(draft: String, at now: Date) throws(StoreError) -> Machine.Ticket {
    try heart.start()
    var begun: Machine.Ticket?
    do throws(StoreError) {
      return try database.write { t in
        if let begun { end(begun) }
        let line = try AttachmentLine.lock(draft, t)
        let ticket = try issueTicket(t)
        // Before anybody can see the row.
        LiveAttempts.begin(ticket, in: id)
        begun = ticket
        _ = try apply(.pick(ticket), to: draft, line, at: now, t)
        return ticket
      }
    } catch {
      if let begun { end(begun) }
      throw error
    }
  }

  /// A ticket that was never issued before: the seconds of the server's clock and a number that counts
  /// up, so that not even a server that forgot its last numbers repeats one.
  private func issueTicket(_ t: PostgresTransaction) throws -> Machine.Ticket {
    let row = try t.rows(
      """
      SELECT extract(epoch FROM clock_timestamp())::bigint << 31
        | (nextval('ticket') & 2147483647)
      """
    ).first
    guard let ticket = row?.number(0) else { throw StoreError.fault(what: "ticket") }
    return ticket
  }

  package func end(_ ticket: Machine.Ticket) { LiveAttempts.end(ticket, in: id) }

  package func handle(
    _ event: Machine.Event, draft: String, at now: Date
  ) throws(StoreError) -> Applied {
    if case .pick = event { try heart.start() }
    return try database.write { t in
      try apply(event, to: draft, try AttachmentLine.lock(draft, t), at: now, t)
    }
  }

  package func restore(draft: String, at now: Date) throws(StoreError) {
    try database.write { t in
      guard let line = try AttachmentLine.lock(draft, t) else { return }
      _ = try apply(try record(of: line, t).restored(), to: draft, line, at: now, t)
    }
  }

  package func confirm(
    _ photo: SealedRecord, draft: String, ticket: Machine.Ticket?, at now: Date,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Applied? {
    guard let new = UUID(uuidString: photo.id) else { throw .fault(what: "record") }
    if ticket == nil { try heart.start() }
    return try database.write { t in
      let stored = try StoredBlobs.hold(photo.places, t)
      try PhotoLines.insert([photo], stored, t)
      let ticket = try ticket ?? pick(draft, at: now, t)
      let line = try AttachmentLine.lock(draft, t)
      let applied = try apply(.succeeded(ticket, new), to: draft, line, at: now, t)
      t.isTold = true
      if try naming() { return applied }
      t.isUndone = true
      return nil
    }
  }

  /// Begins an attempt that ends in the same transaction.
  private func pick(
    _ draft: String, at now: Date, _ t: PostgresTransaction
  ) throws -> Machine.Ticket {
    let ticket = try issueTicket(t)
    _ = try apply(.pick(ticket), to: draft, try AttachmentLine.lock(draft, t), at: now, t)
    return ticket
  }

  package func attach(
    asset: UUID, as id: UUID, draft: String, at now: Date,
    naming: (SealedRecord) throws(StoreError) -> Void
  ) throws(StoreError) -> (photo: SealedRecord, applied: Applied) {
    try heart.start()
    return try database.write { t in
      let entry = try t.rows(
        "SELECT 1 FROM library_photo WHERE photo = $1 FOR SHARE", [.text(asset.uuidString)])
      guard !entry.isEmpty,
        let original = try PhotoLines.fetchAll(
          t, "WHERE \"id\" = $1 FOR SHARE", [.text(asset.uuidString)]
        ).first
      else { throw StoreError.missingPhoto }
      let photo = original.picked(as: id, from: asset, at: now)
      let stored = try StoredBlobs.hold(photo.places, t)
      try PhotoLines.insert([photo], stored, t)
      let ticket = try pick(draft, at: now, t)
      let picked = try AttachmentLine.lock(draft, t)
      let applied = try apply(.succeeded(ticket, id), to: draft, picked, at: now, t)
      t.isTold = true
      try naming(original)
      return (photo, applied)
    }
  }

  package func remove(photo: UUID, at now: Date) throws(StoreError) -> [BlobPath] {
    try database.write { try remove(photo: photo, at: now, $0) }
  }

  func remove(photo: UUID, at now: Date, _ t: PostgresTransaction) throws -> [BlobPath] {
    var gone: [BlobPath] = []
    for line in try lines(
      "WHERE attachment.photo = $1 ORDER BY draft FOR UPDATE", [.text(photo.uuidString)], t)
    {
      gone += try apply(.forget(photo), to: line.draft, line, at: now, t).gone
    }
    return gone + (try PhotoLines.deleteUnreferenced(photo.uuidString, t))
  }

  package func forget(
    asset: UUID
  ) throws(StoreError) -> (drafts: [String], gone: [BlobPath]) {
    try database.write { try forget(asset: asset, $0) }
  }

  func forget(
    asset: UUID, _ t: PostgresTransaction
  ) throws -> (drafts: [String], gone: [BlobPath]) {
    try ErasureRows.hold(t)
    let id = FieldValue.text(asset.uuidString)
    let entry = try t.rows("SELECT 1 FROM library_photo WHERE photo = $1 FOR UPDATE", [id])
    guard !entry.isEmpty else { throw StoreError.missingPhoto }
    let files = try t.rows(
      "SELECT path, sha256 FROM source_file WHERE photo = $1 AND sha256 IS NOT NULL", [id]
    ).compactMap { row -> String? in
      guard let path = row.data(0), let digest = row.text(1) else { return nil }
      return ErasureMark.file(path: Array(path), sha256: digest)
    }
    try ErasureRows.insert([ErasureMark.library(asset.uuidString)] + files, t)
    try t.run("DELETE FROM library_photo WHERE photo = $1", [id])
    let picked = "SELECT \"id\" FROM photo WHERE \"assetIdentifier\" = $1"
    let drafts = try lines(
      "WHERE attachment.photo IN (\(picked)) ORDER BY draft FOR UPDATE", [id], t
    ).map(\.draft)
    try t.run(
      "UPDATE attachment SET failure = 'asset-forgotten' WHERE photo IN (\(picked))", [id])
    try t.run(
      "UPDATE photo SET \"assetIdentifier\" = NULL WHERE \"assetIdentifier\" = $1", [id])
    for draft in drafts { try publish(draft, t) }
    return (drafts, try erase(photo: asset.uuidString, t))
  }

  /// Deletes a photo that nothing refers to any more, and leaves its mark.
  func erase(photo id: String, _ t: PostgresTransaction) throws -> [BlobPath] {
    let gone = try PhotoLines.deleteUnreferenced(id, t)
    if try PhotoLines.fetch(t, id: id) == nil {
      try ErasureRows.insert([ErasureMark.photo(id)], t)
    }
    return gone
  }

  /// Lets a draft's last event happen, and deletes its attachment when that leaves it empty.
  func end(
    draft: String, by event: Machine.Event, at now: Date, _ t: PostgresTransaction
  ) throws -> [BlobPath] {
    let line = try AttachmentLine.lock(draft, t)
    let applied = try apply(event, to: draft, line, at: now, t)
    if case .empty = applied.machine.state {
      try t.run("DELETE FROM attachment WHERE draft = $1", [.text(draft)])
    }
    return applied.gone
  }

  package func touch(draft: String, at now: Date) throws(StoreError) {
    _ = try database.write { t in
      try t.run(
        "UPDATE attachment SET updated_at = $1 WHERE draft = $2",
        [.int(now.milliseconds), .text(draft)])
    }
  }

  package func expire(
    before limit: Date, believable: ClosedRange<Date>, dryRun: Bool
  ) throws(StoreError) -> (drafts: Int, gone: [BlobPath]) {
    let now = believable.upperBound
    let range = believable.lowerBound.milliseconds...now.milliseconds
    return try database.write(dryRun: dryRun) { t in
      var (drafts, gone) = (0, [BlobPath]())
      let lines = try lines(
        """
        WHERE state = 'loading' OR updated_at < $1 OR updated_at NOT BETWEEN $2 AND $3
        ORDER BY draft FOR UPDATE
        """, [.int(limit.milliseconds), .int(range.lowerBound), .int(range.upperBound)], t)
      for line in lines {
        let event = try record(of: line, t).restored()
        let restored = try apply(event, to: line.draft, line, at: now, t)
        gone += restored.gone
        guard range.contains(line.updatedAt) else {
          try t.run(
            "UPDATE attachment SET updated_at = $1 WHERE draft = $2",
            [.int(now.milliseconds), .text(line.draft)])
          continue
        }
        guard line.updatedAt < limit.milliseconds else { continue }
        if case .loading = restored.machine.state { continue }
        let rest = try AttachmentLine.lock(line.draft, t)
        gone += try apply(.expire, to: line.draft, rest, at: now, t).gone
        try t.run("DELETE FROM attachment WHERE draft = $1", [.text(line.draft)])
        drafts += 1
      }
      try t.run("DELETE FROM worker WHERE seen_at < now() - interval '1 day'")
      try t.run(CommitMark.deleteOld)
      return (drafts, Array(Set(gone).subtracting(try StoredBlobs.referenced(gone, t))))
    }
  }

  package func abandonedDrafts() throws(StoreError) -> [String] {
    var drafts: [String] = []
    for row in try database.ask(Self.attachments(where: "state = 'loading'")) {
      if let record = try record(row), !record.isOwnerAlive { drafts.append(record.draft) }
    }
    return drafts
  }

  private func lines(
    _ condition: String, _ values: [FieldValue], _ t: PostgresTransaction
  ) throws -> [AttachmentLine] {
    try t.rows("SELECT \(AttachmentLine.columns) FROM attachment \(condition)", values)
      .compactMap(AttachmentLine.init)
  }

  /// Lets an event happen to a draft whose row is held; watchers hear of it after the commit.
  ///
  /// - Parameter line: the row as it is now.
  func apply(
    _ event: Machine.Event, to draft: String, _ line: AttachmentLine?, at now: Date,
    _ t: PostgresTransaction
  ) throws -> Applied {
    let before = try line?.machine ?? .init()
    var applied = Applied(machine: before)
    let action = applied.machine.handle(event)
    if applied.machine != before {
      // Who picks owns the attempt; any other event leaves it with whom it belongs to.
      var worker = line?.worker
      if case .pick = event { worker = LiveAttempts.worker }
      try AttachmentLine.write(applied.machine, of: draft, worker: worker, at: now, t)
    }
    if case .giveUp(let photo) = action {
      applied.gone = try PhotoLines.deleteUnreferenced(photo.uuidString, t)
    }
    if applied.machine.state != before.state { try publish(draft, t) }
    return applied
  }

  /// Tells watchers how a draft stands, once the transaction is committed: those in this process each
  /// change, others that there was one.
  private func publish(_ draft: String, _ t: PostgresTransaction) throws {
    try t.rows("SELECT pg_notify('\(Listener.channel)', $1)", [.text(Listener.payload(draft))])
    guard watchers.count(draft: draft) > 0 else { return }
    let line = try lines("WHERE draft = $1", [.text(draft)], t).first
    let now = try line.map { try record(of: $0, t) }
    t.news.append { [watchers] in watchers.publish(now, draft: draft) }
  }
}
