package import Announcements
package import Foundation
package import Logging
package import PhotoAttachments
import PhotoIngestion

/// Announcements among the records of photos. What may be done with them, and by whom, `AnnouncementStore`
/// knows; acts find and write.
///
/// Each act is one step that is done or not done; what it has written is on the disk when it returns. No
/// act blocks its thread. Every act throws, beside what it says, `StoreError`: nothing has changed then,
/// unless the answer itself was lost. Of an id or a client with a zero byte there is nothing.
package struct RecordedAnnouncements: Sendable {
  private let photos: PhotoAttachmentCache
  private let logger: Logger

  /// The announcements in the database that `photos` are recorded in.
  package init(_ photos: PhotoAttachmentCache, logger: Logger) {
    self.photos = photos
    self.logger = logger
  }

  /// A part of the list, found through indexes. Never asked for an order by distance without a place. A search
  /// ends early when its task is cancelled.
  ///
  /// - Parameter budget: how many announcements are looked at.
  package func list(
    matching query: AnnouncementListQuery, budget: Int
  ) async throws -> AnnouncementList {
    if query.isLookUp {
      return try await database.reading(.list) { [logger] in
        try AnnouncementRows(t: $0, logger: logger).list(query, budget: budget)
      }
    }
    let isCancelled = StopFlag()
    return try await withTaskCancellationHandler {
      try await database.reading(.search) { [logger] in
        try AnnouncementRows(
          t: $0, logger: logger,
          isWanted: { !isCancelled.isSet }
        ).list(query, budget: budget)
      }
    } onCancel: {
      isCancelled.set()
    }
  }

  /// The announcements of these numbers that are listed still, in their order.
  package func listed(_ numbers: [Int64]) async throws -> [Announcement] {
    try await database.reading(.lookUp) { [logger] in
      try AnnouncementRows(t: $0, logger: logger).listed(numbers)
    }
  }

  /// The announcement of this id; nil when there is none, or when its row breaks a rule, which is logged.
  package func announcement(id: String) async throws -> Announcement? {
    guard id.isStorable else { return nil }
    return try await database.reading(.lookUp) { [logger] in
      try $0.rows(
        "SELECT \(AnnouncementRows.columns) FROM announcement WHERE id = $1", [.text(id)]
      ).first.flatMap { AnnouncementRows.announcement($0, logger) }
    }
  }

  /// The announcements that operators took down, the last changed first.
  package func hidden(limit: Int) async throws -> [Announcement] {
    try await database.reading(.lookUp) { [logger] in
      try $0.rows(
        """
        SELECT \(AnnouncementRows.columns) FROM announcement WHERE hidden_reason IS NOT NULL
        ORDER BY updated_at DESC, number DESC LIMIT $1
        """, [FieldValue(limit)]
      ).compactMap { AnnouncementRows.announcement($0, logger) }
    }
  }

  /// Whether an announcement of this id was erased here (decision 44).
  package func isErased(id: String) async throws -> Bool {
    try await database.reading(.lookUp) {
      try !$0.ask(Erasures.among([ErasureMark.announcement(id)], $0.dialect)).isEmpty
    }
  }

  /// See `AnnouncementRepositoryProtocol`.
  package func ids(beginning text: String, limit: Int) async throws -> [String] {
    // By the index of ids. No id has a letter behind `~`.
    try await database.reading(.lookUp) {
      let id = "id" + $0.dialect.byBytes
      return try $0.rows(
        "SELECT id FROM announcement WHERE \(id) >= $1 AND \(id) < $2 ORDER BY \(id) LIMIT $3",
        [.text(text), .text(text + "~"), FieldValue(limit)]
      ).compactMap { $0.text(0) }
    }
  }

  /// SQL for whether an open announcement has a photo, by its id.
  package static let showsPhoto = """
    SELECT EXISTS (SELECT 1 FROM announcement WHERE photo_id = $1 AND closed_at IS NULL)
    """

  /// See `AnnouncementRepositoryProtocol`; found through an index.
  package func shows(photo id: UUID) async throws -> Bool {
    try await database.reading(.lookUp) {
      try $0.rows(Self.showsPhoto, [.text(id.uuidString)])[0].isTrue(0)
    }
  }

  /// Whether the database answers: throws when it doesn't.
  package func checkDatabase() async throws {
    _ = try await database.reading(.health) { try $0.rows("SELECT found_pictures FROM store") }
  }

  /// See `RecordedDrafts`: the same secret.
  package func secret() async throws -> Data {
    try await database.reading(.lookUp) { try $0.storeSecret() }
  }

  /// The announcement of the request's key; nil when there is none.
  ///
  /// - Throws: `idempotencyMismatch` when it was made of another report. `keyTaken` when the request names a client that isn't
  ///   the one that made it after `repeatableSince`, and when it was erased.
  package func find(_ request: CreateRequest) async throws -> CreateResult? {
    try await database.reading(.lookUp) { try Self.find(request, $0) }?.get()
  }

  /// Writes the report with this hash of its password, with its photo if it comes with one, or finds the
  /// announcement of its key, which stays as it is. A chip that is refused is a try of `countedClient`,
  /// see `ClientTries`; without one nothing is counted.
  ///
  /// - Throws: as `find`, `duplicateMicrochip`, `spaceUsedUp`, and `throttled` for a chip that wasn't looked
  ///   for.
  func findOrMake(
    _ request: CreateRequest, hash: String, photo: PreparedPhoto?, share: PhotoShare?, at now: Date
  ) async throws -> CreateResult {
    guard let photo else {
      return try await writing { try Self.findOrMake(request, hash, at: now.milliseconds, $0) }
    }
    let catalog = photos.catalog
    let (_, made) = try await photos.store(photo) {
      t, stored -> (value: Result<CreateResult, AnnouncementError>, gone: [BlobPath]?) in
      let bytes = photo.pictureBytes
      // Before the announcement is written: one without its photo helps nobody.
      if let refusal = try share?.refusal(
        adding: bytes, locking: true, at: now.milliseconds, t)
      {
        return (.failure(refusal), nil)
      }
      let made = try Self.findOrMake(request, hash, at: now.milliseconds, t)
      // No other one has this hash.
      guard case .success(let kept) = made, kept.hash == hash else { return (made, nil) }
      let gone = try catalog.show(stored, announcement: kept.id, at: now, t)
      try share?.add(bytes, at: now.milliseconds, t)
      return (made, gone)
    }
    return try made.get()
  }

  /// Lets the announcement with this hash show a photo on record. The hash is locked against the row once
  /// more, and the chip, since this is what puts it on the lists. The photo it had before goes, unless
  /// another one shows it.
  ///
  /// - Throws: `notFound`, `takenDown`, `missingPhoto`, `duplicateMicrochip`, `spaceUsedUp`.
  func attach(
    _ photo: AnnouncementPhoto, to id: String, hash: String, share: PhotoShare?, at now: Date
  ) async throws {
    let catalog = photos.catalog
    let gone = try await writing { t -> Result<[BlobPath], AnnouncementError> in
      if let refusal = try Self.refusal(ofPhotoFor: id, hash, whenClosed: nil, t) {
        return .failure(refusal)
      }
      // Locked, so that no other act gives it up or mends it meanwhile.
      let found = try t.rows(
        """
        SELECT "blobSizeBytes" + "previewSizeBytes" FROM photo
        WHERE "id" = $1 AND "blobSHA256" = $2\(t.dialect.forShare)
        """, [.text(photo.id.uuidString), .text(photo.sha256)])
      guard let bytes = found.first?.number(0) else { return .failure(.missingPhoto) }
      if let refusal = try share?.refusal(
        adding: Int(bytes), locking: true, at: now.milliseconds, t)
      {
        return .failure(refusal)
      }
      try share?.add(Int(bytes), at: now.milliseconds, t)
      return .success(try catalog.show(photo.id, announcement: id, at: now, t))
    }
    await photos.release(gone)
  }

  /// Records a photo and lets the announcement with this hash show it, as above.
  ///
  /// - Throws: `notFound`, `takenDown`, `closed`, `duplicateMicrochip`, `spaceUsedUp`; the photo is not
  ///   recorded then.
  func attach(
    _ photo: PreparedPhoto, to id: String, hash: String, share: PhotoShare?, at now: Date
  ) async throws {
    let catalog = photos.catalog
    let (_, attached) = try await photos.store(photo) {
      t, stored -> (value: Result<Void, AnnouncementError>, gone: [BlobPath]?) in
      let bytes = photo.pictureBytes
      let moment = now.milliseconds
      let refusal =
        try Self.refusal(ofPhotoFor: id, hash, whenClosed: .closed(id: id), t)
        ?? share?.refusal(adding: bytes, locking: true, at: moment, t)
      if let refusal { return (.failure(refusal), nil) }
      let gone = try catalog.show(stored, announcement: id, at: now, t)
      try share?.add(bytes, at: moment, t)
      return (.success(()), gone)
    }
    try attached.get()
  }

  /// - Throws: `spaceUsedUp` when nothing of a share is left.
  func check(_ share: PhotoShare, at now: Date) async throws {
    let refusal = try await database.reading(.lookUp) {
      try share.refusal(adding: 1, locking: false, at: now.milliseconds, $0)
    }
    if let refusal { throw refusal }
  }

  /// Changes what the open announcement with this hash says, in one step with reading it. Nothing is
  /// written when `edit` changes nothing, or returns why not. A chip that is refused is a try of `client`,
  /// as in `findOrMake`.
  ///
  /// - Returns: what it says then.
  /// - Throws: `notFound`, `closed`, `takenDown`, what `edit` returns, `duplicateMicrochip`, `throttled`.
  @discardableResult
  package func change(
    id: String, hash: String, client: String?, at now: Date,
    _ edit: @escaping @Sendable (inout NewAnnouncement) -> AnnouncementError?
  ) async throws -> NewAnnouncement {
    try await writing { try Self.change(id, hash, client, at: now.milliseconds, $0, edit) }
  }

  /// Takes the announcement with this hash out of the lists; done before, or gone, is no error.
  package func close(id: String, hash: String, at now: Date) async throws {
    _ = try await writing {
      .success(
        try $0.run(
          """
          UPDATE announcement SET closed_at = coalesce(closed_at, $1), updated_at = $1,
            owner_closed_at = CASE WHEN hidden_reason IS NOT NULL THEN $1 END
          WHERE id = $2 AND password_hash = $3
            AND (closed_at IS NULL OR hidden_reason IS NOT NULL AND owner_closed_at IS NULL)
          """, [.int(now.milliseconds), .text(id), .text(hash)]))
    }
  }

  /// Takes the announcement down for this reason, which closes it for visitors; without a reason it is
  /// as its owner left it again. Done before is no error.
  ///
  /// - Throws: `notFound`; `duplicateMicrochip` when it would be open beside another one with its chip.
  package func hide(id: String, reason: String?, at now: Date) async throws {
    try await writing { try Self.hide(id, reason, at: now.milliseconds, $0) }
  }

  /// Deletes the announcement with this hash, or with any for an operator, who has none; the draft it was
  /// made of, since it has the same contact data; and its photo, unless another announcement or draft
  /// shows it. Gone is no error. What is deleted leaves a mark (`ErasureMark`).
  package func erase(id: String, hash: String?) async throws {
    let catalog = photos.catalog
    let gone = try await writing { t -> Result<[BlobPath], AnnouncementError> in
      .success(
        try Self.erase(
          "id = $1 AND password_hash = coalesce($2, password_hash)", [.text(id), FieldValue(hash)],
          catalog, t))
    }
    await photos.release(gone)
  }

  /// See `AnnouncementRepositoryProtocol`; the key says enough here.
  package func withdraw(key: UUID) async throws -> Announcement? {
    let key = FieldValue.text(key.uuidString)
    return try await writing { [logger] t in
      try t.run(
        "DELETE FROM announcement WHERE idempotency_key = $1 AND photo_id IS NULL", [key])
      return .success(
        try t.rows(
          "SELECT \(AnnouncementRows.columns) FROM announcement WHERE idempotency_key = $1", [key]
        ).first.flatMap { AnnouncementRows.announcement($0, logger) })
    }
  }

  // MARK: - The way to the database

  var database: any RecordsDatabase { photos.catalog.database }

  /// What is no failure of the database comes out of the transaction as a value.
  func writing<Value: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> Result<Value, AnnouncementError>
  ) async throws -> Value {
    try await database.writing(act).get()
  }
}
