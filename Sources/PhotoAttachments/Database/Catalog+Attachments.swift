package import Foundation

/// The attachments of drafts: reading and changing their states. "Promise N" is explained at `Catalog`.
extension Catalog {
  /// Returns a draft's attachment with its photo's record; `nil` if the draft never had an attempt.
  package func attachment(draft: String) throws(StoreError) -> AttachmentRecord? {
    try database.rows(attachments(where: "draft = $1"), [.text(draft)]).first.flatMap(record)
  }

  /// Returns SQL that selects attachments with their photos. `record` reads its rows.
  package func attachments(where condition: String) -> String {
    """
    SELECT \(AttachmentRow.columns(database.dialect)), \(PhotoRows.columns)
    FROM attachment LEFT JOIN photo ON photo."id" = attachment.photo
    WHERE \(condition) ORDER BY draft
    """
  }

  /// Reads the attachment in a row.
  ///
  /// - Throws: `StoreError.database(.damaged)` if the row contains an impossible state.
  package func record(_ row: ResultRow) throws(StoreError) -> AttachmentRecord? {
    guard let attachment = AttachmentRow(row) else { return nil }
    return AttachmentRecord(
      draft: attachment.id, machine: try attachment.machine, isOwnerAlive: isAlive(attachment),
      photo: PhotoRows.record(row, from: AttachmentRow.columnCount))
  }

  /// Returns a draft's attachment as the transaction sees it.
  package func record(_ draft: String, _ t: Transaction) throws -> AttachmentRecord? {
    try t.rows(attachments(where: "draft = $1"), [.text(draft)]).first.flatMap(record)
  }

  private func isAlive(_ row: AttachmentRow) -> Bool {
    workers.isAlive(row.ticket, of: row.worker, isSeen: row.isWorkerAlive)
  }

  private func record(of row: AttachmentRow, _ t: Transaction) throws -> AttachmentRecord {
    let machine = try row.machine
    return AttachmentRecord(
      draft: row.id, machine: machine, isOwnerAlive: isAlive(row),
      photo: try machine.photo.flatMap { try PhotoRows.fetch(t, id: $0.uuidString) })
  }

  /// Begins an attempt of this process with a new ticket.
  ///
  /// - Parameter owner: the new owner of the attachment, unless it already shows a photo of a host.
  package func begin(
    draft: String, of owner: AttachmentOwner = .report, at now: Date
  ) throws(StoreError) -> Machine.Ticket {
    try workers.start()
    var begun: Machine.Ticket?
    do throws(StoreError) {
      return try database.write { t in
        if let begun { end(begun) }
        let row = try AttachmentRow.lock(draft: draft, t)
        let ticket = try beginAttempt(t)
        begun = ticket
        _ = try apply([.pick(ticket)], to: draft, row, of: owner, at: now, t)
        return ticket
      }
    } catch {
      if let begun { end(begun) }
      throw error
    }
  }

  /// Begins an attempt, which `end` ends.
  ///
  /// - Returns: a ticket that was never issued before, even if the row that had it was removed.
  private func beginAttempt(_ t: Transaction) throws -> Machine.Ticket {
    let command = t.dialect.ticket
    guard let ticket = try t.rows(command.sql, command.values).first?.number(0) else {
      throw StoreError.fault(.ticket)
    }
    // Before another thread or a watcher can see the row. Otherwise it would take the attempt for abandoned.
    ActiveAttempts.begin(ticket, in: workers.place)
    return ticket
  }

  /// Marks an attempt as no longer active in this process, whatever its outcome.
  package func end(_ ticket: Machine.Ticket) { ActiveAttempts.end(ticket, in: workers.place) }

  /// Applies an event to a draft's attachment.
  package func handle(
    _ event: Machine.Event, draft: String, at now: Date
  ) throws(StoreError) -> AppliedEvent {
    if case .pick = event { try workers.start() }
    return try database.write { t in
      try apply([event], to: draft, AttachmentRow.lock(draft: draft, t), at: now, t)
    }
  }

  /// Ends an attempt whose process is gone. Does nothing if the draft has no attachment.
  package func restore(draft: String, at now: Date) throws(StoreError) {
    try database.write { t in
      guard let row = try AttachmentRow.lock(draft: draft, t) else { return }
      _ = try apply([record(of: row, t).restored()], to: draft, row, at: now, t)
    }
  }

  /// Records the photo of a draft's attempt, and the attempt's success (promise N). If the photo's pictures are gone,
  /// the transaction is rolled back.
  package func confirm(
    _ photo: StoredPhoto, of draft: String, ticket: Machine.Ticket, at now: Date, _ t: Transaction
  ) throws -> AppliedEvent {
    let row = try lock(draft, t)
    guard try record(photo, t) else { return AppliedEvent(machine: .init()) }
    return try apply([.succeeded(ticket, try photo.id)], to: draft, row, at: now, t)
  }

  /// Attaches a stored photo in one step, in a transaction of the caller (promise N).
  ///
  /// - Returns: `nil` if the photo's pictures are gone.
  /// - Throws: `StoreError.fault(.attachedTwice)` if the photo is on record.
  package func attach(
    _ photo: StoredPhoto, to draft: String, of owner: AttachmentOwner, at now: Date,
    _ t: Transaction
  ) throws -> AppliedEvent? {
    // The first command writes, so that the transaction has the lock of the database before the pictures are looked at.
    let ticket = try beginAttempt(t)
    defer { end(ticket) }
    let row = try lock(draft, t)
    guard try PhotoRows.fetch(t, id: photo.id.uuidString) == nil else {
      throw StoreError.fault(.attachedTwice)
    }
    guard try record(photo, t) else { return nil }
    let events: [Machine.Event] = [.pick(ticket), .succeeded(ticket, try photo.id)]
    return try apply(events, to: draft, row, of: owner, at: now, t)
  }

  /// Locks a draft's row and the photo that it shows, because the photo may be deleted.
  private func lock(_ draft: String, _ t: Transaction) throws -> AttachmentRow? {
    let row = try AttachmentRow.lock(draft: draft, t)
    if let photo = row?.photo { try t.lock(.photo(photo)) }
    return row
  }

  /// Records a photo. Returns `false` and rolls the transaction back if its pictures are gone.
  package func record(_ photo: StoredPhoto, _ t: Transaction) throws -> Bool {
    guard try photo.record(t) else { return false }
    try noteNewest(t)
    return true
  }

  /// Makes a draft show a library photo. The draft gets its own copy of the record with the ID `id` (promise N).
  ///
  /// - Parameter naming: throws if the library photo's blob is missing.
  /// - Returns: the new photo's record.
  /// - Throws: `StoreError.missingPhoto` if the library has no such photo.
  package func attach(
    asset: UUID, as id: UUID, draft: String, of owner: AttachmentOwner = .report, at now: Date,
    naming: (SealedRecord) throws -> Void
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
      let locked = try PhotoRows.lock(photo.places, t)
      let row = try lock(draft, t)
      t.hasSideEffects = true
      try naming(original)
      try PhotoRows.insert([photo], locked, t)
      let ticket = try beginAttempt(t)
      defer { end(ticket) }
      let events: [Machine.Event] = [.pick(ticket), .succeeded(ticket, id)]
      return (photo, try apply(events, to: draft, row, of: owner, at: now, t))
    }
  }

  /// Removes a photo from every draft that it is attached to.
  ///
  /// - Returns: pictures to be deleted.
  package func remove(photo: UUID, at now: Date, _ t: Transaction) throws -> [BlobPath] {
    var gone: [BlobPath] = []
    for row in try AttachmentRow.lock("attachment.photo = $1", [.text(photo.uuidString)], t) {
      gone += try apply([.forget(photo)], to: row.id, row, at: now, t).gone
    }
    return gone + (try PhotoRows.deleteUnreferenced(photo.uuidString, t))
  }

  /// Removes a photo from the library, along with the records of its files. Attachments that were picked from it stay,
  /// with the failure `asset-forgotten`.
  ///
  /// - Returns: the drafts that picked it, and pictures to be deleted.
  /// - Throws: `StoreError.missingPhoto` if the library has no such photo.
  package func forget(
    asset: UUID, _ t: Transaction
  ) throws -> (drafts: [String], gone: [BlobPath]) {
    try t.lock(.erasures)
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
    try t.execute("DELETE FROM library_photo WHERE photo = $1", [id])
    let picked = "SELECT \"id\" FROM photo WHERE \"assetIdentifier\" = $1"
    let drafts = try AttachmentRow.lock("attachment.photo IN (\(picked))", [id], t).map(\.id)
    try t.execute(
      "UPDATE attachment SET failure = 'asset-forgotten' WHERE photo IN (\(picked))", [id])
    try t.execute(
      "UPDATE photo SET \"assetIdentifier\" = NULL WHERE \"assetIdentifier\" = $1", [id])
    for draft in drafts { try publish(draft, t) }
    return (drafts, try erase(photo: asset.uuidString, t))
  }

  /// Deletes a photo if nothing refers to it, and then marks it as erased.
  package func erase(photo id: String, _ t: Transaction) throws -> [BlobPath] {
    let gone = try PhotoRows.deleteUnreferenced(id, t)
    if try PhotoRows.fetch(t, id: id) == nil { try Erasures.insert([ErasureMark.photo(id)], t) }
    return gone
  }

  /// Deletes the attachment of a draft that the caller deletes in the same transaction.
  package func end(draft: String, at now: Date, _ t: Transaction) throws -> [BlobPath] {
    let row = try AttachmentRow.lock(draft: draft, t)
    return try end(draft, row, by: .remove, at: now, t)
  }

  private func end(
    _ draft: String, _ row: AttachmentRow?, by event: Machine.Event, at now: Date, _ t: Transaction
  ) throws -> [BlobPath] {
    let gone = try apply([event], to: draft, row, at: now, t).gone
    try t.execute("DELETE FROM attachment WHERE draft = $1", [.text(draft)])
    return gone
  }

  /// Deletes a draft's expired attachment. If an attempt is in progress or `isStill` returns `false`, returns `nil` and
  /// changes nothing.
  ///
  /// - Parameter isStill: returns `true` if the attachment may still expire. It is called after the row is locked.
  package func expire(
    draft: String, at now: Date, _ t: Transaction, where isStill: () throws -> Bool
  ) throws -> [BlobPath]? {
    let row = try AttachmentRow.lock(draft: draft, t)
    guard row?.ticket == nil, try isStill() else { return nil }
    return try end(draft, row, by: .expire, at: now, t)
  }

  /// Records that a person works on a draft.
  package func keepAlive(draft: String, at now: Date) throws(StoreError) {
    try database.write { try touch(draft, at: now, $0) }
  }

  private func touch(_ draft: String, at now: Date, _ t: Transaction) throws {
    try t.execute(
      "UPDATE attachment SET updated_at = $1 WHERE draft = $2",
      [.int(now.milliseconds), .text(draft)])
  }

  /// Ends attempts whose process is gone, and deletes attachments that were not touched since `limit`. If the time of
  /// the last touch is outside of `believable`, it is reset to the end of that range.
  ///
  /// - Parameters:
  ///   - hosts: the limit for photos of hosts. `nil` keeps them.
  ///   - dryRun: only counts.
  /// - Returns: the number of deleted attachments, and pictures that no record refers to any more.
  package func expire(
    before limit: Date, hosts: Date? = nil, believable: ClosedRange<Date>, dryRun: Bool
  ) throws(StoreError) -> (drafts: Int, gone: [BlobPath]) {
    let now = believable.upperBound
    let range = believable.lowerBound.milliseconds...now.milliseconds
    let limit = limit.milliseconds
    let hosts = hosts?.milliseconds ?? .min
    return try database.write(dryRun: dryRun) { t in
      try checkPhotos(t)
      var drafts = 0
      var gone: [BlobPath] = []
      let rows = try AttachmentRow.lock(
        """
        state = 'loading' OR (owner = 'report' OR photo IS NULL) AND updated_at < $1 OR
          updated_at < $4 OR updated_at NOT BETWEEN $2 AND $3
        """,
        [.int(limit), .int(range.lowerBound), .int(range.upperBound), .int(hosts)], t)
      for row in rows {
        let event = try record(of: row, t).restored()
        gone += try apply([event], to: row.id, row, at: now, t).gone
        guard range.contains(row.updatedAt) else {
          try touch(row.id, at: now, t)
          continue
        }
        guard row.updatedAt < (row.isKept ? hosts : limit) else { continue }
        if let more = try expire(draft: row.id, at: now, t, where: { true }) {
          gone += more
          drafts += 1
        }
      }
      try t.fetch(Query(asking: t.dialect.tidying))
      return (drafts, Array(Set(gone).subtracting(try PhotoRows.selectReferenced(gone, t))))
    }
  }

  /// Throws if the record of any attached photo was altered, because then nothing may be swept.
  private func checkPhotos(_ t: Transaction) throws {
    let page = attachments(where: "attachment.photo IS NOT NULL AND draft > $1") + " LIMIT 256"
    var last: String? = ""
    while let draft = last {
      let records = try t.rows(page, [.text(draft)]).compactMap(record)
      for record in records { _ = try record.restored() }
      last = records.last?.draft
    }
  }

  /// Returns the drafts with an attempt whose process is gone.
  package func abandonedDrafts() throws(StoreError) -> [String] {
    try database.rows(attachments(where: "state = 'loading'")).map(record)
      .compactMap { $0.flatMap { $0.isOwnerAlive ? nil : $0.draft } }
  }

  /// Applies events to a draft's attachment whose row is locked. Watchers are notified after the commit.
  ///
  /// - Parameters:
  ///   - row: the locked row.
  ///   - owner: the new owner, unless the row shows a photo of a host.
  private func apply(
    _ events: [Machine.Event], to draft: String, _ row: AttachmentRow?,
    of owner: AttachmentOwner? = nil, at now: Date, _ t: Transaction
  ) throws -> AppliedEvent {
    var applied = AppliedEvent(machine: try row?.machine ?? .init())
    for event in events {
      let before = applied.machine
      let action = applied.machine.handle(event)
      if applied.machine != before {
        // Only the process that picks becomes the owner of the attempt. Other events keep the owner.
        var worker = row?.worker
        if case .pick = event { worker = try workers.worker() }
        let owner = row?.isKept == true ? .host : owner ?? row?.owner ?? .report
        try AttachmentRow.write(
          applied.machine, of: draft, owner: owner, worker: worker, at: now, t)
      }
      if case .giveUp(let photo) = action {
        applied.gone += try PhotoRows.deleteUnreferenced(photo.uuidString, t)
      }
      if applied.machine.state != before.state { try publish(draft, t) }
    }
    return applied
  }

  /// Removes the reference of a draft to a photo that is no longer on record.
  ///
  /// - Parameter isGone: returns `true` if the photo is gone. It is called after the row is locked.
  func forgetPhoto(
    of draft: String, at now: Date, _ t: Transaction, where isGone: () throws -> Bool
  ) throws {
    let row = try AttachmentRow.lock(draft: draft, t)
    guard try isGone(), let gone = try row?.machine.photo else { return }
    _ = try apply([.forget(gone)], to: draft, row, at: now, t)
  }

  /// Notifies watchers after the commit. Watchers in this process receive the new state, other processes only a hint.
  private func publish(_ draft: String, _ t: Transaction) throws {
    try t.fetch(Query(asking: t.dialect.notifying(draft)))
    guard watchers.count(draft: draft) > 0 else { return }
    let now = try record(draft, t)
    t.afterCommit { [watchers] in watchers.publish(now, draft: draft) }
  }
}
