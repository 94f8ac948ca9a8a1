public import Announcements
public import Foundation
public import Logging
public import PhotoAttachments
public import ReportFlow

/// Announcements among the records of photos.
public struct RecordedAnnouncements: AnnouncementStorage {
  private let reports: Reports
  private let logger: Logger

  /// The announcements in the database that `photos` are recorded in.
  public init(_ photos: PhotoAttachmentCache, logger: Logger) {
    (reports, self.logger) = (Reports(photos), logger)
  }

  /// See the protocol.
  public func announcements(
    matching query: AnnouncementListQuery
  ) async throws -> [Announcement] {
    // A long one is not worth the memory.
    let isShort = query.limit.map { $0 <= 100 } ?? false
    // Nor is a search worth a look in every transaction.
    let staysCurrent = query.location == nil && query.filter == nil
    return try await looking(answering: isShort ? query : nil, staysCurrent: staysCurrent) {
      [logger] in
      try AnnouncementRows(t: $0, logger: logger).announcements(matching: query)
    }
  }

  /// See the protocol.
  public func announcement(id: String) async throws -> Announcement? {
    guard id.isWhole else { return nil }
    return try await looking { [logger] in
      try $0.rows(
        "SELECT \(AnnouncementRows.columns) FROM announcement WHERE id = $1", [.text(id)]
      ).first.flatMap { AnnouncementRows.announcement($0, logger) }
    }
  }

  /// See the protocol.
  public func isErased(id: String) async throws -> Bool {
    try await looking {
      try !$0.ask(Erasures.among([ErasureMark.announcement(id)], $0.dialect)).isEmpty
    }
  }

  /// See the protocol.
  public func ids(beginning text: String, limit: Int) async throws -> [String] {
    // By the index of ids. No id has a letter behind `~`.
    try await looking {
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

  /// See the protocol.
  public func shows(photo id: UUID) async throws -> Bool {
    try await looking { try $0.rows(Self.showsPhoto, [.text(id.uuidString)])[0].isTrue(0) }
  }

  /// See the protocol.
  public func secret() async throws -> Data { try await reading { try $0.storeSecret() } }

  /// See the protocol.
  public func find(_ request: CreateRequest) async throws -> KeptAnnouncement? {
    try await reading { try Self.find(request, $0) }?.get()
  }

  /// See the protocol.
  public func findOrMake(
    _ request: CreateRequest, hash: String, at now: Date
  ) async throws -> KeptAnnouncement {
    try await writing { try Self.findOrMake(request, hash, at: now.milliseconds, $0) }
  }

  /// See the protocol.
  public func attach(
    _ photo: AnnouncementPhoto, to id: String, hash: String, at now: Date
  ) async throws {
    let catalog = try reports.catalog
    let gone = try await writing { t -> Result<[BlobPath], AnnouncementError> in
      switch try Self.attach(photo, to: id, hash, at: now, catalog, t) {
      case .failure(let error): return .failure(error)
      case .success(let replaced):
        guard let replaced else { return .success([]) }
        return .success(try PhotoRows.deleteUnreferenced(replaced.uuidString, t))
      }
    }
    await reports.photos.release(gone)
  }

  /// See the protocol.
  public func change(
    id: String, hash: String, client: String?, at now: Date,
    _ edit: @escaping @Sendable (inout NewAnnouncement) -> AnnouncementError?
  ) async throws {
    try await writing { try Self.change(id, hash, client, at: now.milliseconds, $0, edit) }
  }

  /// See the protocol.
  public func close(id: String, hash: String, at now: Date) async throws {
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

  /// See the protocol.
  public func hide(id: String, reason: String?, at now: Date) async throws {
    try await writing { try Self.hide(id, reason, at: now.milliseconds, $0) }
  }

  /// See the protocol.
  public func erase(id: String, hash: String?) async throws {
    let catalog = try reports.catalog
    let gone = try await writing { t -> Result<[BlobPath], AnnouncementError> in
      .success(
        try Self.erase(
          "id = $1 AND password_hash = coalesce($2, password_hash)", [.text(id), FieldValue(hash)],
          catalog, t))
    }
    await reports.photos.release(gone)
    await catalog.forgetFreePages()
  }

  /// See the protocol.
  public func withdraw(key: UUID) async throws -> Announcement? {
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

  func reading<Value: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await reports.prepare()
    return try await reports.catalog.database.reading(act)
  }

  /// Reads what strangers ask for, beside what is being recorded.
  private func looking<Value: Sendable>(
    answering question: (any Hashable & Sendable)? = nil, staysCurrent: Bool = false,
    _ act: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await reports.prepare()
    return try await reports.catalog.database.looking(
      answering: question, staysCurrent: staysCurrent, act)
  }

  /// What is no failure of the database comes out of the transaction as a value.
  func writing<Value: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> Result<Value, AnnouncementError>
  ) async throws -> Value {
    try await reports.prepare()
    return try await reports.catalog.database.writing(act).get()
  }
}
