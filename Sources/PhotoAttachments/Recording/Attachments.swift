package import Foundation

/// What drafts show.
extension Catalog {
  /// A draft's attachment, with its photo's record; nil when nothing ever happened to it.
  package func attachment(draft: String) throws(StoreError) -> AttachmentRecord? {
    try database.rows(attachments(where: "draft = $1"), [.text(draft)]).first.flatMap(record)
  }

  /// SQL for attachments of a condition with their photos, of one moment; `record` reads them.
  package func attachments(where condition: String) -> String {
    """
    SELECT \(AttachmentRow.columns(database.dialect)), \(PhotoRows.columns)
    FROM attachment LEFT JOIN photo ON photo."id" = attachment.photo
    WHERE \(condition) ORDER BY draft
    """
  }

  /// The attachment in a row.
  ///
  /// - Throws: `StoreError.database("damaged")` for one that cannot be.
  package func record(_ row: ResultRow) throws(StoreError) -> AttachmentRecord? {
    guard let attachment = AttachmentRow(row) else { return nil }
    return AttachmentRecord(
      draft: attachment.draft, machine: try attachment.machine, isOwnerAlive: isAlive(attachment),
      photo: PhotoRows.record(row, from: AttachmentRow.columnCount))
  }

  /// The same in a transaction.
  package func record(_ draft: String, _ t: Transaction) throws -> AttachmentRecord? {
    try t.rows(attachments(where: "draft = $1"), [.text(draft)]).first.flatMap(record)
  }

  private func isAlive(_ row: AttachmentRow) -> Bool {
    workers.isAlive(row.ticket, of: row.worker, isSeen: row.isWorkerAlive)
  }

  private func record(of row: AttachmentRow, _ t: Transaction) throws -> AttachmentRecord {
    let machine = try row.machine
    return AttachmentRecord(
      draft: row.draft, machine: machine, isOwnerAlive: isAlive(row),
      photo: try machine.photo.flatMap { try PhotoRows.fetch(t, id: $0.uuidString) })
  }

  /// Begins an attempt that belongs to this process: a ticket that was never used before, and its
  /// `pick`.
  package func begin(draft: String, at now: Date) throws(StoreError) -> Machine.Ticket {
    try workers.start()
    var begun: Machine.Ticket?
    do throws(StoreError) {
      return try database.write { t in
        if let begun { end(begun) }
        let row = try AttachmentRow.hold(draft, t)
        let ticket = try issueTicket(t)
        // Before the row can be seen.
        ActiveAttempts.begin(ticket, in: workers.place)
        begun = ticket
        _ = try apply(.pick(ticket), to: draft, row, at: now, t)
        return ticket
      }
    } catch {
      if let begun { end(begun) }
      throw error
    }
  }

  /// A ticket that was never issued before, whatever was removed since.
  private func issueTicket(_ t: Transaction) throws -> Machine.Ticket {
    let command = t.dialect.ticket
    guard let ticket = try t.rows(command.sql, command.values).first?.number(0) else {
      throw StoreError.fault(what: "ticket")
    }
    return ticket
  }

  /// Says that this process works no more on an attempt, whatever came of it.
  package func end(_ ticket: Machine.Ticket) { ActiveAttempts.end(ticket, in: workers.place) }

  /// Lets an event happen to a draft.
  package func handle(
    _ event: Machine.Event, draft: String, at now: Date
  ) throws(StoreError) -> AppliedEvent {
    if case .pick = event { try workers.start() }
    return try database.write { t in
      try apply(event, to: draft, try AttachmentRow.hold(draft, t), at: now, t)
    }
  }

  /// Ends an attempt whose owner is gone; nothing when there is none.
  package func restore(draft: String, at now: Date) throws(StoreError) {
    try database.write { t in
      guard let row = try AttachmentRow.hold(draft, t) else { return }
      _ = try apply(try record(of: row, t).restored(), to: draft, row, at: now, t)
    }
  }

  /// Records the photo of an attempt, and its success (promise N).
  ///
  /// - Parameters:
  ///   - ticket: the attempt's; nil for one that begins here, which is never seen under way.
  ///   - naming: says whether both pictures are there.
  /// - Returns: nil, and nothing is recorded, when `naming` says no.
  package func confirm(
    _ photo: SealedRecord, draft: String, ticket: Machine.Ticket?, at now: Date,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> AppliedEvent? {
    guard let new = UUID(uuidString: photo.id) else { throw .fault(what: "record") }
    if ticket == nil { try workers.start() }
    return try database.write { t in
      let held = try PhotoRows.hold(photo.places, t)
      var row = try hold(draft, t)
      t.hasSideEffects = true
      guard try naming() else {
        t.rollsBack = true
        return nil
      }
      try PhotoRows.insert([photo], held, t)
      if ticket == nil { row = try pick(draft, row, at: now, t) }
      let attempt = ticket ?? row?.ticket ?? 0
      return try apply(.succeeded(attempt, new), to: draft, row, at: now, t)
    }
  }

  /// Holds a draft's row, and the photo that it shows, which may be given up.
  private func hold(_ draft: String, _ t: Transaction) throws -> AttachmentRow? {
    let row = try AttachmentRow.hold(draft, t)
    if let photo = row?.photo { try t.hold(.photo(photo)) }
    return row
  }

  /// Begins an attempt that ends in the same transaction.
  private func pick(
    _ draft: String, _ row: AttachmentRow?, at now: Date, _ t: Transaction
  ) throws -> AttachmentRow? {
    _ = try apply(.pick(try issueTicket(t)), to: draft, row, at: now, t)
    return try AttachmentRow.hold(draft, t)
  }

  /// Lets a draft show a library photo, as a photo of its own with the id `id` (promise N).
  ///
  /// - Parameter naming: throws when the library photo's blob is not there.
  /// - Returns: the new photo's record.
  /// - Throws: `StoreError.missingPhoto` when the library has no such photo.
  package func attach(
    asset: UUID, as id: UUID, draft: String, at now: Date,
    naming: (SealedRecord) throws(StoreError) -> Void
  ) throws(StoreError) -> (photo: SealedRecord, applied: AppliedEvent) {
    try workers.start()
    return try database.write { t in
      let key = FieldValue.text(asset.uuidString)
      let entry = try t.rows(
        "SELECT 1 FROM library_photo WHERE photo = $1\(t.dialect.forShare)", [key])
      guard !entry.isEmpty,
        let original = try PhotoRows.fetchAll(t, "WHERE \"id\" = $1\(t.dialect.forShare)", [key])
          .first
      else { throw StoreError.missingPhoto }
      let photo = original.picked(as: id, from: asset, at: now)
      let held = try PhotoRows.hold(photo.places, t)
      let row = try hold(draft, t)
      t.hasSideEffects = true
      try naming(original)
      try PhotoRows.insert([photo], held, t)
      let picked = try pick(draft, row, at: now, t)
      let applied = try apply(
        .succeeded(picked?.ticket ?? 0, id), to: draft, picked, at: now, t)
      return (photo, applied)
    }
  }

  /// Takes a photo away wherever it is attached.
  ///
  /// - Returns: pictures to be given up.
  package func remove(photo: UUID, at now: Date) throws(StoreError) -> [BlobPath] {
    try database.write { try remove(photo: photo, at: now, $0) }
  }

  package func remove(photo: UUID, at now: Date, _ t: Transaction) throws -> [BlobPath] {
    var gone: [BlobPath] = []
    for row in try AttachmentRow.hold("attachment.photo = $1", [.text(photo.uuidString)], t) {
      gone += try apply(.forget(photo), to: row.draft, row, at: now, t).gone
    }
    return gone + (try PhotoRows.deleteUnreferenced(photo.uuidString, t))
  }

  /// Takes a photo out of the library, with what is known of its files; attachments picked from it
  /// stay, with the failure `asset-forgotten`.
  ///
  /// - Returns: the drafts that picked it, and pictures to be given up.
  /// - Throws: `StoreError.missingPhoto` when the library has no such photo.
  package func forget(
    asset: UUID
  ) throws(StoreError) -> (drafts: [String], gone: [BlobPath]) {
    try database.write { try forget(asset: asset, $0) }
  }

  package func forget(
    asset: UUID, _ t: Transaction
  ) throws -> (drafts: [String], gone: [BlobPath]) {
    try t.hold(.erasures)
    let id = FieldValue.text(asset.uuidString)
    let entry = try t.rows(
      "SELECT 1 FROM library_photo WHERE photo = $1\(t.dialect.forUpdate)", [id])
    guard !entry.isEmpty else { throw StoreError.missingPhoto }
    let files = try t.rows(
      "SELECT path, sha256 FROM source_file WHERE photo = $1 AND sha256 IS NOT NULL", [id]
    ).compactMap { row -> String? in
      guard let path = row.data(0), let digest = row.text(1) else { return nil }
      return ErasureMark.file(path: Array(path), sha256: digest)
    }
    try Erasures.insert([ErasureMark.library(asset.uuidString)] + files, t)
    try t.run("DELETE FROM library_photo WHERE photo = $1", [id])
    let picked = "SELECT \"id\" FROM photo WHERE \"assetIdentifier\" = $1"
    let drafts = try AttachmentRow.hold("attachment.photo IN (\(picked))", [id], t).map(\.draft)
    try t.run("UPDATE attachment SET failure = 'asset-forgotten' WHERE photo IN (\(picked))", [id])
    try t.run("UPDATE photo SET \"assetIdentifier\" = NULL WHERE \"assetIdentifier\" = $1", [id])
    for draft in drafts { try publish(draft, t) }
    return (drafts, try erase(photo: asset.uuidString, t))
  }

  /// Deletes a photo that nothing refers to any more, and leaves its mark.
  package func erase(photo id: String, _ t: Transaction) throws -> [BlobPath] {
    let gone = try PhotoRows.deleteUnreferenced(id, t)
    if try PhotoRows.fetch(t, id: id) == nil { try Erasures.insert([ErasureMark.photo(id)], t) }
    return gone
  }

  /// Lets a draft's last event happen, and deletes its attachment when that leaves it empty.
  package func end(
    draft: String, by event: Machine.Event, at now: Date, _ t: Transaction
  ) throws -> [BlobPath] {
    let applied = try apply(event, to: draft, try AttachmentRow.hold(draft, t), at: now, t)
    if case .empty = applied.machine.state {
      try t.run("DELETE FROM attachment WHERE draft = $1", [.text(draft)])
    }
    return applied.gone
  }

  /// Lets a draft's attachment expire; nil, and nothing happens, while an attempt is under way.
  ///
  /// - Parameter isStill: whether it may, asked once the row is held.
  package func expire(
    draft: String, at now: Date, _ t: Transaction, where isStill: () throws -> Bool
  ) throws -> [BlobPath]? {
    let row = try AttachmentRow.hold(draft, t)
    guard row?.ticket == nil, try isStill() else { return nil }
    let gone = try apply(.expire, to: draft, row, at: now, t).gone
    try t.run("DELETE FROM attachment WHERE draft = $1", [.text(draft)])
    return gone
  }

  /// Notes that a person works on a draft.
  package func touch(draft: String, at now: Date) throws(StoreError) {
    try database.write { try touch(draft, at: now, $0) }
  }

  private func touch(_ draft: String, at now: Date, _ t: Transaction) throws {
    try t.run(
      "UPDATE attachment SET updated_at = $1 WHERE draft = $2",
      [.int(now.milliseconds), .text(draft)])
  }

  /// Ends attempts whose owner is gone, and deletes attachments that were not touched since `limit`.
  /// One that was touched at a moment outside of `believable` counts as touched at the end of it.
  ///
  /// - Parameter dryRun: only counts.
  /// - Returns: how many, and pictures that no record refers to any more.
  package func expire(
    before limit: Date, believable: ClosedRange<Date>, dryRun: Bool
  ) throws(StoreError) -> (drafts: Int, gone: [BlobPath]) {
    let now = believable.upperBound
    let range = believable.lowerBound.milliseconds...now.milliseconds
    return try database.write(dryRun: dryRun) { t in
      try checkPhotos(t)
      var (drafts, gone) = (0, [BlobPath]())
      let rows = try AttachmentRow.hold(
        "state = 'loading' OR updated_at < $1 OR updated_at NOT BETWEEN $2 AND $3",
        [.int(limit.milliseconds), .int(range.lowerBound), .int(range.upperBound)], t)
      for row in rows {
        let event = try record(of: row, t).restored()
        let restored = try apply(event, to: row.draft, row, at: now, t)
        gone += restored.gone
        guard range.contains(row.updatedAt) else {
          try touch(row.draft, at: now, t)
          continue
        }
        guard row.updatedAt < limit.milliseconds else { continue }
        if let more = try expire(draft: row.draft, at: now, t, where: { true }) {
          gone += more
          drafts += 1
        }
      }
      try t.ask(Query(asking: t.dialect.tidying))
      return (drafts, Array(Set(gone).subtracting(try PhotoRows.referenced(gone, t))))
    }
  }

  /// Throws when the record of a photo that a draft shows is not as it was written: nothing is swept then.
  private func checkPhotos(_ t: Transaction) throws {
    let page = attachments(where: "attachment.photo IS NOT NULL AND draft > $1") + " LIMIT 256"
    var last: String? = ""
    while let draft = last {
      let records = try t.rows(page, [.text(draft)]).compactMap(record)
      for record in records { _ = try record.restored() }
      last = records.last?.draft
    }
  }

  package func abandonedDrafts() throws(StoreError) -> [String] {
    var drafts: [String] = []
    for row in try database.rows(attachments(where: "state = 'loading'")) {
      if let record = try record(row), !record.isOwnerAlive { drafts.append(record.draft) }
    }
    return drafts
  }

  /// Lets an event happen to a draft whose row is held; watchers are notified after the commit.
  ///
  /// - Parameter row: as it is now.
  private func apply(
    _ event: Machine.Event, to draft: String, _ row: AttachmentRow?, at now: Date, _ t: Transaction
  ) throws -> AppliedEvent {
    let before = try row?.machine ?? .init()
    var applied = AppliedEvent(machine: before)
    let action = applied.machine.handle(event)
    if applied.machine != before {
      // The process that picks owns the attempt; any other event leaves the owner as it is.
      var worker = row?.worker
      if case .pick = event { worker = try workers.worker() }
      try AttachmentRow.write(applied.machine, of: draft, worker: worker, at: now, t)
    }
    if case .giveUp(let photo) = action {
      applied.gone = try PhotoRows.deleteUnreferenced(photo.uuidString, t)
    }
    if applied.machine.state != before.state { try publish(draft, t) }
    return applied
  }

  /// Lets a draft forget a photo that is gone.
  ///
  /// - Parameter isGone: whether it is, asked once the row is held.
  func forgetPhoto(
    of draft: String, at now: Date, _ t: Transaction, where isGone: () throws -> Bool
  ) throws {
    let row = try AttachmentRow.hold(draft, t)
    guard try isGone(), let gone = try row?.machine.photo else { return }
    _ = try apply(.forget(gone), to: draft, row, at: now, t)
  }

  /// Notifies watchers once the transaction is committed: those in this process of each change, others that
  /// there was one.
  private func publish(_ draft: String, _ t: Transaction) throws {
    try t.ask(Query(asking: t.dialect.notifying(draft)))
    guard watchers.count(draft: draft) > 0 else { return }
    let now = try record(draft, t)
    t.afterCommit { [watchers] in watchers.publish(now, draft: draft) }
  }
}
