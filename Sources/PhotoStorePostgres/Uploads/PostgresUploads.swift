package import Foundation
package import PhotoAttachments
import Synchronization

/// Uploads in the database that photos are recorded in, so that one begun on a server may be finished on
/// another.
///
/// Bytes come in pieces of bounded size, each with the offset after it in one transaction: what was
/// committed is what was answered. Every request that goes on with an upload raises its attempt number, and
/// every piece checks it, so that a newer request cuts an older one wherever that runs.
package final class PostgresUploads: UploadStorage {
  let database: PostgresDatabase
  /// Where a whole upload becomes a file.
  let folder: CacheFolder
  let limits: UploadLimits
  let now: @Sendable () -> Date
  private let heartbeat: Heartbeat
  /// The uploads that this process makes a photo of, in every database, with their attempts. It belongs
  /// to the process, because the holder in the record is the process.
  private static let held = Mutex<[String: Int64]>([:])

  /// The uploads beside the records of a catalog.
  ///
  /// - Parameters:
  ///   - folder: the cache folder of this machine, for the file that a photo is made of.
  ///   - limits: how much may be uploaded, and for how long.
  package init(
    _ catalog: PostgresCatalog, folder: CacheFolder, limits: UploadLimits = UploadLimits(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    // Not the catalog's common lock: a sweep that holds that alone keeps no upload waiting.
    database = PostgresDatabase(
      catalog.server.pool, catalog.server.dialect, commonLock: .uploads)
    self.folder = folder
    self.limits = limits
    self.now = now
    heartbeat = Heartbeat(
      database, id: catalog.id, isNeeded: { Self.held.withLock { !$0.isEmpty } },
      logger: catalog.logger)
  }

  package func create(
    owner: String, client: String, length: Int?, fileName: String?
  ) throws -> Upload {
    if let length, length > limits.length {
      throw UploadError.tooLarge(limit: limits.length, actual: length)
    }
    let token = UploadToken.new()
    let now = now()
    let uploadRow = UploadRow(
      token, owner: owner, length: length ?? limits.length, hasLength: length != nil,
      fileName: fileName, created: now)
    try act { t in
      try lockPlaces(t)
      try takePlace(token, client, now, t)
      try t.run(
        """
        INSERT INTO upload
          (token, owner, client, length, file_name, created_at, touched_at, has_length)
        VALUES ($1, $2, $3, $4, $5, $6, $6, $7::bigint <> 0)
        """,
        [
          .text(token), .text(owner), .text(client), .int(Int64(uploadRow.length)),
          fileName.map { .data(Data($0.utf8)) } ?? .null, .int(now.milliseconds),
          FieldValue(uploadRow.hasLength),
        ])
      try deleteSurplus(now, t)
    }
    return uploadRow.upload(limits)
  }

  /// One after the other, so that no two take the last place. It comes before any upload's row is
  /// locked.
  private func lockPlaces(_ t: Transaction) throws {
    try t.rows("SELECT pg_advisory_xact_lock(1346720848, 5)")
  }

  /// Finds a place for an upload. When all are taken, one of the client with the most becomes free: that
  /// of the upload that waited longest for bytes.
  ///
  /// - Throws: `.tooManyOpen`, `.busy`.
  private func takePlace(
    _ token: String, _ client: String, _ now: Date, _ t: Transaction
  ) throws {
    let (born, touched) = placeBounds(now)
    let isPlaced = "finished_at IS NULL AND created_at > $2 AND touched_at > $3 AND token <> $4"
    let row = try t.rows(
      """
      SELECT count(*), count(*) FILTER (WHERE client = $1),
        min(LEAST(created_at + $5, touched_at + $6)) FILTER (WHERE client = $1)
      FROM upload WHERE \(isPlaced)
      """,
      [
        .text(client), born, touched, .text(token), .int(Int64(limits.life * 1000)),
        .int(Int64(limits.idle * 1000)),
      ]
    ).first
    let theirs = row?.number(1) ?? 0
    if theirs >= limits.openPerClient, let first = row?.number(2) {
      let end = Date(milliseconds: first)
      throw UploadError.tooManyOpen(seconds: Int(end.timeIntervalSince(now).rounded(.up)))
    }
    guard row?.number(0) ?? 0 >= limits.open else { return }
    let idlest = try t.rows(
      """
      SELECT token FROM (
        SELECT token, touched_at, count(*) OVER (PARTITION BY client) AS theirs
        FROM upload WHERE \(isPlaced)) AS placed
      WHERE theirs > $1 ORDER BY theirs DESC, touched_at LIMIT 1
      """, [.int(theirs), born, touched, .text(token)]
    ).first?.text(0)
    guard let idlest else { throw UploadError.busy }
    // One that gets a byte at this moment keeps its place beside the new one.
    try t.run(
      """
      UPDATE upload SET touched_at = 0 WHERE token IN (
        SELECT token FROM upload WHERE token = $1 FOR UPDATE SKIP LOCKED)
      """, [.text(idlest)])
  }

  /// Deletes uploads without a place, so that what is unfinished keeps within its bytes: of a client, and
  /// of the clients with the most, those that waited longest.
  private func deleteSurplus(_ now: Date, _ t: Transaction) throws {
    let cost = "GREATEST(length, \(UploadLimits.cost(ofLength: 0)))"
    try t.run(
      """
      DELETE FROM upload WHERE token IN (
        SELECT token FROM upload WHERE token IN (
          SELECT token FROM (
            SELECT token, touched_at,
              sum(cost) OVER (PARTITION BY client ORDER BY touched_at DESC, token) AS own,
              sum(cost) OVER (ORDER BY theirs, client, touched_at DESC, token) AS total
            FROM (
              SELECT token, client, touched_at, \(cost) AS cost,
                sum(\(cost)) OVER (PARTITION BY client) AS theirs
              FROM upload WHERE finished_at IS NULL) AS counted) AS summed
          WHERE (own > $1::bigint OR total > $2::bigint) AND touched_at <= $3::bigint)
        AND NOT (\(UploadRow.isHeld)) FOR UPDATE SKIP LOCKED)
      """, [.int(Int64(limits.bytesPerClient)), .int(Int64(limits.bytes)), placeBounds(now).1])
  }

  /// When an upload has to have begun, and have got its last byte, to have a place.
  private func placeBounds(_ now: Date) -> (FieldValue, FieldValue) {
    (
      .int(now.addingTimeInterval(-limits.life).milliseconds),
      .int(now.addingTimeInterval(-limits.idle).milliseconds)
    )
  }

  /// Takes a place for an upload that is resumed after it lost its own.
  private func takePlaceAgain(_ token: String, at offset: Int, _ t: Transaction) throws {
    let now = now()
    // A complete upload only waits for its photo.
    let given = try t.rows(
      """
      SELECT client FROM upload WHERE token = $1 AND finished_at IS NULL AND created_at > $2
        AND touched_at <= $3 AND (length > $4 OR NOT has_length)
      """, [.text(token), placeBounds(now).0, placeBounds(now).1, .int(Int64(offset))]
    ).first?.text(0)
    guard let given else { return }
    try lockPlaces(t)
    try takePlace(token, given, now, t)
  }

  // MARK: - Going on

  package func look(_ token: String, owner: String) throws -> Upload {
    try act { t in
      var uploadRow = try lockedUpload(token, owner, t)
      // All bytes came, and a process makes the photo: that stays.
      if uploadRow.outcome == nil, !isHeld(uploadRow) { try cutOlderRequest(&uploadRow, t) }
      return uploadRow.upload(limits)
    }
  }

  package func append(
    _ token: String, owner: String, at offset: Int, adding count: Int?
  ) throws -> UploadAppending {
    let now = now()
    let uploadRow = try act { t in
      if UploadToken.isToken(token) { try takePlaceAgain(token, at: offset, t) }
      var uploadRow = try lockedUpload(token, owner, t)
      if uploadRow.outcome == nil {
        guard !isHeld(uploadRow) else { throw UploadError.inUse }
        try cutOlderRequest(&uploadRow, t)
        if offset == uploadRow.reached {
          try t.run(
            "UPDATE upload SET touched_at = $2 WHERE token = $1",
            [.text(token), .int(now.milliseconds)])
        }
      }
      return uploadRow
    }
    // After the commit: bytes for a wrong place cut older ones, too.
    let upload = uploadRow.upload(limits)
    guard offset == upload.offset else { throw UploadError.wrongOffset(expected: upload.offset) }
    guard count ?? 0 <= upload.length - offset else {
      throw UploadError.noRoom(
        length: upload.length, isKnown: upload.hasLength, count: count ?? 0)
    }
    if let outcome = uploadRow.outcome { return .finished(upload, outcome) }
    return .writer(PostgresUploadWriter(uploadRow, of: self))
  }

  package func remove(_ token: String, owner: String) throws {
    try act { t in
      let uploadRow = try lockedUpload(token, owner, t)
      guard uploadRow.outcome != nil || !isHeld(uploadRow) else { throw UploadError.inUse }
      try t.run("DELETE FROM upload WHERE token = $1", [.text(token)])
    }
  }

  @discardableResult
  package func sweep() throws -> Int {
    let now = now()
    func ago(_ seconds: TimeInterval) -> FieldValue {
      .int(now.addingTimeInterval(-seconds).milliseconds)
    }
    return try database.write { t in
      // What another server deletes at this moment is skipped.
      let over = try t.run(
        """
        DELETE FROM upload WHERE token IN (
          SELECT token FROM upload WHERE finished_at <= $1 OR finished_at IS NULL
            AND created_at <= $2 AND NOT (\(UploadRow.isHeld))
          FOR UPDATE SKIP LOCKED)
        """, [ago(limits.outcomeMemory), ago(limits.life + limits.expiredMemory)])
      let expired = try t.rows(
        """
        UPDATE upload SET attempt = attempt + 1, reached = 0, worker = NULL WHERE token IN (
          SELECT token FROM upload WHERE finished_at IS NULL AND created_at <= $1
            AND reached > 0 AND NOT (\(UploadRow.isHeld))
          FOR UPDATE SKIP LOCKED)
        RETURNING token
        """, [ago(limits.life)]
      ).compactMap { $0.text(0) }
      try t.run("DELETE FROM upload_piece WHERE upload = ANY($1::text[])", [.array(expired)])
      try releaseUnwritten(t)
      return over + expired.count
    }
  }

  // MARK: - Parts

  /// One transaction, which a refusal ends without having happened.
  private func act<T>(_ work: (Transaction) throws -> T) throws -> T {
    let result = try database.write { t -> Result<T, UploadError> in
      do { return .success(try work(t)) } catch let refusal as UploadError {
        t.rollsBack = true
        return .failure(refusal)
      }
    }
    return try result.get()
  }

  /// The upload's row, if it may be used, locked until the transaction ends.
  ///
  /// - Throws: `.notFound`, `.expired`.
  private func lockedUpload(
    _ token: String, _ owner: String, _ t: Transaction
  ) throws -> UploadRow {
    guard UploadToken.isToken(token), let uploadRow = try UploadRow.locked(token, t),
      uploadRow.owner == owner
    else { throw UploadError.notFound }
    switch limits.stage(created: uploadRow.created, finished: uploadRow.finished, at: now()) {
    case .open, .finished: return uploadRow
    case .expired: throw UploadError.expired
    case .over: throw UploadError.notFound
    }
  }

  /// Raises the attempt, so that an older request that still adds bytes is refused and stops.
  private func cutOlderRequest(_ uploadRow: inout UploadRow, _ t: Transaction) throws {
    uploadRow.attempt += 1
    try t.run(
      "UPDATE upload SET attempt = $2, worker = NULL WHERE token = $1",
      [.text(uploadRow.token), .int(uploadRow.attempt)])
  }

  /// Whether a process that lives makes the photo.
  private func isHeld(_ uploadRow: UploadRow) -> Bool {
    guard uploadRow.worker == Heartbeat.worker else { return uploadRow.isHolderSeen }
    return Self.held.withLock { $0[uploadRow.token] == uploadRow.attempt }
  }

  /// Holds an upload whose bytes are all here, for as long as this process lives and wants it.
  ///
  /// - Throws: `.cut` when a newer request has taken it.
  func hold(_ uploadRow: UploadRow) throws {
    Self.held.withLock { $0[uploadRow.token] = uploadRow.attempt }
    do {
      try heartbeat.start()
      let isOurs = try database.write { t in
        try uploadRow.change("worker = $3", [.text(Heartbeat.worker)], t)
      }
      guard isOurs else { throw UploadError.cut }
    } catch {
      forgetHolding(uploadRow)
      throw error
    }
  }

  /// Ends `hold`. When the database cannot be reached, this process knows it all the same, and a sweep
  /// writes it.
  func release(_ uploadRow: UploadRow) {
    forgetHolding(uploadRow)
    _ = try? database.write { t in try uploadRow.change("worker = NULL", [], t) }
  }

  /// Forgets that an upload is held.
  func forgetHolding(_ uploadRow: UploadRow) {
    Self.held.withLock { if $0[uploadRow.token] == uploadRow.attempt { $0[uploadRow.token] = nil } }
  }

  /// Releases uploads whose end of holding could not be written.
  private func releaseUnwritten(_ t: Transaction) throws {
    let own = try t.rows(
      "SELECT token, attempt FROM upload WHERE worker = $1", [.text(Heartbeat.worker)])
    for row in own {
      guard let token = row.text(0), let attempt = row.number(1),
        Self.held.withLock({ $0[token] != attempt })
      else { continue }
      try t.run(
        "UPDATE upload SET worker = NULL WHERE token = $1 AND attempt = $2",
        [.text(token), .int(attempt)])
    }
  }
}
