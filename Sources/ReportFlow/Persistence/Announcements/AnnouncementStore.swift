public import Announcements
public import Foundation
public import Logging
public import PhotoAttachments
public import PhotoIngestion
package import PhotoModel

/// Stores announcements in the database of the photos, and checks who may change them. Each announcement has a
/// password, of which only a hash is stored, and wrong passwords are counted.
///
/// Each operation is one transaction that is durable when the function returns. No operation blocks its thread. Every
/// function also throws `StoreError`. In this case the database is unchanged, unless only the commit's acknowledgment
/// was lost. IDs and client names that contain NUL never match.
public struct AnnouncementStore: AnnouncementRepositoryProtocol {
  package let photos: PhotoAttachmentCache
  private let secret = StoreSecret()
  let now: @Sendable () -> Date
  let logger: Logger
  /// The client that creations are charged to, or `nil` to charge none.
  var countedClient: String?
  /// The language of new announcements, or `nil` if unknown.
  var language: Language?
  /// The limit of the pictures that the client may add, or `nil` for no limit.
  var share: PhotoShare?
  /// The mails that send codes to the address in a report, or `nil` to send none.
  var letters: MailLetters?
  /// `true` if email addresses are stored, which is useful only if mails can be sent.
  private(set) var keepsEmail = true

  /// Creates a store in the database that contains the records of `photos`. The operations of operators are logged to
  /// `logger`.
  public init(
    _ photos: PhotoAttachmentCache, logger: Logger = Logger(label: "petspot"),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.photos = photos
    self.logger = logger
    self.now = now
  }

  /// Returns a copy of the store that charges creations to `client`.
  ///
  /// - Parameters:
  ///   - client: the client's address.
  ///   - photoBytes: the picture bytes that the client may add in 30 days, or `nil` for no limit.
  package func chargingCreations(to client: String, photoBytes: Int? = nil) -> Self {
    var store = self
    store.countedClient = client
    store.share = photoBytes.map { PhotoShare(client: client, bytes: $0) }
    return store
  }

  /// Returns a copy of the store that creates announcements in a language.
  package func creatingAnnouncements(in language: Language?) -> Self {
    var store = self
    store.language = language
    return store
  }

  /// Returns a copy of the store that stores or drops email addresses.
  package func keepingEmail(_ keeps: Bool) -> Self {
    var store = self
    store.keepsEmail = keeps
    return store
  }

  /// Returns a copy of the store that mails codes to owners.
  package func mailingCodes(with letters: MailLetters?) -> Self {
    var store = self
    store.letters = letters
    return store
  }

  /// Throws `spaceUsedUp` if the client may not add any pictures. Call it before receiving a photo. It counts no bytes,
  /// because the operation that attaches the photo does.
  package func checkPhotoShare() async throws {
    guard let share else { return }
    let now = now().milliseconds
    try await reading { try share.check(adding: 1, locking: false, at: now, $0) }
  }

  // MARK: - Looking

  /// Returns the announcements that match a query. See `AnnouncementRepositoryProtocol`. Every list is read through an
  /// index.
  public func announcements(
    matching query: AnnouncementListQuery
  ) async throws -> [Announcement] {
    try await list(matching: query).announcements
  }

  /// Returns the announcements that match a query, with the cursor of the next page. Cancelling the task ends a search
  /// early.
  ///
  /// - Parameter budget: the maximum number of examined announcements, unless the query asks for all of them.
  package func list(
    matching query: AnnouncementListQuery, budget: Int = maxLookedAt
  ) async throws -> AnnouncementList {
    if query.sortBy == .distanceFromUser && query.location == nil {
      throw AnnouncementError.locationRequired
    }
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
          isCancelled: { isCancelled.isSet }
        ).list(query, budget: budget)
      }
    } onCancel: {
      isCancelled.set()
    }
  }

  /// Returns the announcements with these numbers that are still listed, in the order of the numbers.
  package func selectListed(_ numbers: [Int64]) async throws -> [Announcement] {
    try await database.reading(.lookUp) { [logger] in
      try AnnouncementRows(t: $0, logger: logger).selectListed(numbers)
    }
  }

  /// The maximum number of announcements that a request examines.
  package static let maxLookedAt = 20_000

  /// Returns an announcement. See `AnnouncementRepositoryProtocol`. An invalid row is logged and counts as not found.
  public func announcement(id: String) async throws -> Announcement {
    let found =
      id.isStorable
      ? try await database.reading(.lookUp) { [logger] in
        try $0.rows(
          "SELECT \(AnnouncementRows.columns) FROM announcement WHERE id = $1", [.text(id)]
        ).first.flatMap { AnnouncementRows.announcement($0, logger) }
      } : nil
    guard let found else { throw try await missing(id) }
    return found
  }

  /// Returns the id of the announcement with this short code in its URL.
  ///
  /// - Throws: `notFound`, also for an announcement that was never listed; `closed` for an erased one.
  package func id(shortCode text: String) async throws -> String {
    guard let code = ManagementPassword.shortCode(text) else {
      throw AnnouncementError.notFound(id: text)
    }
    return try await reading { t in
      let row = try t.rows(
        "SELECT id FROM announcement WHERE short_code = $1 AND \(Self.wasListed)", [.text(code)]
      ).first
      if let id = row?.text(0) { return id }
      let marks = try t.fetch(Erasures.among([ErasureMark.shortCode(code)], t.dialect))
      throw marks.isEmpty ? AnnouncementError.notFound(id: code) : .closed(id: code)
    }
  }

  /// Returns the reason why there is no announcement with this id. An erased announcement is reported as closed
  /// (decision 44).
  func missing(_ id: String) async throws -> AnnouncementError {
    let isErased = try await database.reading(.lookUp) {
      try !$0.fetch(Erasures.among([ErasureMark.announcement(id)], $0.dialect)).isEmpty
    }
    return isErased ? .closed(id: id) : .notFound(id: id)
  }

  /// Returns the first ids that begin with this text, in order, including those of closed announcements.
  package func ids(beginning text: String, limit: Int) async throws -> [String] {
    // The range uses the index of ids. Every character of an id sorts before `~`.
    try await database.reading(.lookUp) {
      let id = "id" + $0.dialect.byBytes
      return try $0.rows(
        "SELECT id FROM announcement WHERE \(id) >= $1 AND \(id) < $2 ORDER BY \(id) LIMIT $3",
        [.text(text), .text(text + "~"), FieldValue(limit)]
      ).compactMap { $0.text(0) }
    }
  }

  /// SQL that selects whether an open announcement shows the photo with this id.
  package static let showsPhoto = """
    SELECT EXISTS (SELECT 1 FROM announcement WHERE photo_id = $1 AND closed_at IS NULL)
    """

  /// Returns `true` if an open announcement shows the photo. See `AnnouncementRepositoryProtocol`. Uses an index.
  public func shows(photo id: UUID) async throws -> Bool {
    try await database.reading(.lookUp) {
      try $0.rows(Self.showsPhoto, [.text(id.uuidString)])[0].isTrue(0)
    }
  }

  // MARK: - Making

  /// Creates an announcement. See `AnnouncementRepositoryProtocol`.
  public func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String,
    client: AnnouncementClient?
  ) async throws -> CreatedAnnouncement {
    try await create(
      report, photo: nil, idempotencyKey: idempotencyKey, managementPassword: managementPassword,
      client: client)
  }

  /// Creates an announcement with its photo in one transaction. If an announcement with this key exists without a
  /// photo, attaches the photo to it.
  public func create(
    _ report: NewAnnouncement, photo: PreparedPhoto?, idempotencyKey: UUID,
    managementPassword: String, client: AnnouncementClient?
  ) async throws -> CreatedAnnouncement {
    let invalid = report.invalidFields(now: now())
    guard invalid.isEmpty else { throw AnnouncementError.invalid(invalid) }
    var report = report
    if !keepsEmail { report.email = nil }
    let request = try CreateRequest(
      report, key: idempotencyKey, client: client?.digested(try await storedSecret()),
      countedClient: countedClient, language: language, at: now()
    ) { [letters] id in
      report.email.flatMap { letters?.code(managementPassword, of: id, to: $0) }
    }
    if let found = try await reading({ try Self.find(request, $0) }) {
      return try await answer(found, managementPassword, photo)
    }
    let hash = ManagementPassword.hash(managementPassword, of: request.id)
    let now = now()
    guard let photo else {
      let made = try await writing { try Self.findOrMake(request, hash, at: now.milliseconds, $0) }
      return try await answer(made, managementPassword, nil)
    }
    let made: CreateResult = try await writing(storing: photo) {
      [share, catalog = photos.catalog] t, stored in
      let bytes = photo.pictureBytes
      // Check the share before the announcement is inserted, because one without its photo is useless.
      try share?.check(adding: bytes, at: now.milliseconds, t)
      let made = try Self.findOrMake(request, hash, at: now.milliseconds, t)
      // A different hash means that the announcement already existed.
      guard made.hash == hash else { return (made, nil) }
      let shown = try catalog.showPhoto(stored, announcement: made.id, insteadOf: nil, at: now, t)
      try share?.add(bytes, at: now.milliseconds, t)
      return (made, shown.gone)
    }
    return try await answer(made, managementPassword, photo)
  }

  /// Returns the result of a create. It contains the password only if the caller's is right.
  private func answer(
    _ made: CreateResult, _ password: String, _ photo: PreparedPhoto?
  ) async throws -> CreatedAnnouncement {
    let isOwner = ManagementPassword.verify(password, of: made.id, against: made.hash)
    var announcement = try await announcement(id: made.id)
    if let photo, announcement.details.photoID == nil {
      announcement = try await attachPhoto(
        photo, to: authorize(id: made.id, managementPassword: password, client: nil))
    }
    return CreatedAnnouncement(
      announcement: announcement, managementPassword: isOwner ? password : nil)
  }

  /// Returns the management password for an announcement whose client didn't choose one. Equal keys give equal
  /// passwords, so that a repeated create can return it although it isn't stored. Passwords of different keys are
  /// unrelated and can't be guessed.
  package func managementPassword(idempotencyKey text: String) async throws -> String {
    ManagementPassword.derived(from: try await storedSecret(), for: text)
  }

  private func storedSecret() async throws -> Data {
    try await secret.value { try await database.reading(.lookUp) { try $0.storeSecret() } }
  }

  /// Withdraws an announcement. See `AnnouncementRepositoryProtocol`. Here the key is sufficient, and `credentials`
  /// aren't used.
  public func withdraw(
    idempotencyKey: UUID, credentials: AnnouncementCredentials?
  ) async throws -> Announcement? {
    let key = FieldValue.text(idempotencyKey.uuidString)
    return try await writing { [logger] t in
      try t.execute(
        "DELETE FROM announcement WHERE idempotency_key = $1 AND photo_id IS NULL", [key])
      return try t.rows(
        "SELECT \(AnnouncementRows.columns) FROM announcement WHERE idempotency_key = $1", [key]
      ).first.flatMap { AnnouncementRows.announcement($0, logger) }
    }
  }

  // MARK: - The way to the database

  /// Runs a transaction that records a photo together with the announcement that shows it.
  func writing<Value: Sendable>(
    storing photo: PreparedPhoto,
    _ record:
      @escaping @Sendable (Transaction, StoredPhoto) throws -> (value: Value, gone: [BlobPath]?)
  ) async throws -> Value {
    try await photos.store(photo) { t, stored in
      let done = try Self.result { try record(t, stored) }
      return (done.map(\.value), try? done.get().gone)
    }.value.get()
  }

  var database: any RecordsDatabase { photos.catalog.database }

  /// Runs a transaction. It's committed even if `act` throws an `AnnouncementError`, so that the tries that `act`
  /// counted stay counted.
  @discardableResult
  func writing<Value: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await database.writing { t in try Self.result { try act(t) } }.get()
  }

  func reading<Value: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await database.reading(.lookUp) { t in try Self.result { try act(t) } }.get()
  }

  /// Returns an `AnnouncementError` as a value, because it's not a database error and mustn't roll the transaction
  /// back.
  private static func result<Value>(
    _ act: () throws -> Value
  ) throws -> Result<Value, AnnouncementError> {
    do { return .success(try act()) } catch let refusal as AnnouncementError {
      return .failure(refusal)
    }
  }
}
