public import Announcements
public import Foundation
public import Logging
public import PhotoAttachments
public import PhotoIngestion

/// Stores announcements among the records of photos, and checks who may change them: each has one password, of
/// which only a hash is stored, and wrong ones are counted.
///
/// Each act is one transaction; what it has written is on the disk when it returns. No act blocks its thread.
/// Every act throws, beside what it says, `StoreError`: nothing has changed then, unless the answer itself was
/// lost. Of an id or a client with a zero byte there is nothing.
public struct AnnouncementStore: AnnouncementRepositoryProtocol {
  package let photos: PhotoAttachmentCache
  private let secret = StoreSecret()
  let now: @Sendable () -> Date
  let logger: Logger
  /// By whom creations are counted; nil counts none.
  var countedClient: String?
  /// The language of what is created; nil when it isn't known.
  var language: Language?
  /// What that client may add to the announced pictures; nil for any number of bytes.
  var share: PhotoShare?
  /// How the code is sent to the address that a report has; nil sends none.
  var letters: MailLetters?
  /// Whether e-mail addresses are kept: only where there is mail to be sent to them.
  private(set) var keepsEmail = true

  /// The announcements in the database that `photos` are recorded in; what operators do is logged to
  /// `logger`.
  public init(
    _ photos: PhotoAttachmentCache, logger: Logger = Logger(label: "petspot"),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.photos = photos
    self.logger = logger
    self.now = now
  }

  /// The same store for what `client` creates, by whom it is counted.
  ///
  /// - Parameters:
  ///   - client: its address.
  ///   - photoBytes: bytes of pictures that the client may add in 30 days; nil for any number.
  public func creating(for client: String, photoBytes: Int? = nil) -> Self {
    var store = self
    store.countedClient = client
    store.share = photoBytes.map { PhotoShare(client: client, bytes: $0) }
    return store
  }

  /// The same store for what is created in a language.
  package func creating(in language: Language?) -> Self {
    var store = self
    store.language = language
    return store
  }

  /// The same store, with or without e-mail addresses.
  package func keepingEmail(_ keeps: Bool) -> Self {
    var store = self
    store.keepsEmail = keeps
    return store
  }

  /// The same store, which sends owners their codes.
  package func sending(_ letters: MailLetters?) -> Self {
    var store = self
    store.letters = letters
    return store
  }

  /// Returns when the client may add pictures; throws `spaceUsedUp`. Call it before a photo is received: the
  /// act that follows counts its bytes.
  public func checkPhotoShare() async throws {
    guard let share else { return }
    let now = now().milliseconds
    try await reading { try share.check(adding: 1, locking: false, at: now, $0) }
  }

  // MARK: - Looking

  /// See the protocol; every list is found through an index.
  public func announcements(
    matching query: AnnouncementListQuery
  ) async throws -> [Announcement] {
    try await list(matching: query).announcements
  }

  /// The same, with where the list goes on. A search ends early when its task is cancelled.
  ///
  /// - Parameter budget: how many announcements are looked at, unless all are asked for.
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

  /// Those of these numbers of a list that are listed still, in their order.
  package func listed(_ numbers: [Int64]) async throws -> [Announcement] {
    try await database.reading(.lookUp) { [logger] in
      try AnnouncementRows(t: $0, logger: logger).listed(numbers)
    }
  }

  /// How many announcements a request looks at.
  package static let maxLookedAt = 20_000

  /// See the protocol; a stored row that is not valid counts as not found, and is logged.
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

  /// The id of the announcement whose short address ends so.
  ///
  /// - Throws: `notFound`, also for one that was never listed; `closed` for one that was erased.
  package func id(shortCode text: String) async throws -> String {
    guard let code = ManagementPassword.shortCode(text) else {
      throw AnnouncementError.notFound(id: text)
    }
    return try await reading { t in
      let row = try t.rows(
        "SELECT id FROM announcement WHERE short_code = $1 AND \(Self.wasListed)", [.text(code)]
      ).first
      if let id = row?.text(0) { return id }
      let marks = try t.ask(Erasures.among([ErasureMark.shortCode(code)], t.dialect))
      throw marks.isEmpty ? AnnouncementError.notFound(id: code) : .closed(id: code)
    }
  }

  /// Why there is no announcement of this id: of an erased one is known that it was here, as of one that was
  /// closed (decision 44).
  func missing(_ id: String) async throws -> AnnouncementError {
    let isErased = try await database.reading(.lookUp) {
      try !$0.ask(Erasures.among([ErasureMark.announcement(id)], $0.dialect)).isEmpty
    }
    return isErased ? .closed(id: id) : .notFound(id: id)
  }

  /// The first of the ids that begin with this text, in their order, closed announcements' too.
  public func ids(beginning text: String, limit: Int) async throws -> [String] {
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

  /// See the protocol; found through an index.
  public func shows(photo id: UUID) async throws -> Bool {
    try await database.reading(.lookUp) {
      try $0.rows(Self.showsPhoto, [.text(id.uuidString)])[0].isTrue(0)
    }
  }

  // MARK: - Making

  /// See the protocol.
  public func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String,
    client: AnnouncementClient?
  ) async throws -> CreatedAnnouncement {
    try await create(
      report, photo: nil, idempotencyKey: idempotencyKey, managementPassword: managementPassword,
      client: client)
  }

  /// The same with its photo, in one act; one that was found without a photo gets this one.
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
      // Before the announcement is written: one without its photo helps nobody.
      try share?.check(adding: bytes, at: now.milliseconds, t)
      let made = try Self.findOrMake(request, hash, at: now.milliseconds, t)
      // No other one has this hash.
      guard made.hash == hash else { return (made, nil) }
      let shown = try catalog.show(stored, announcement: made.id, insteadOf: nil, at: now, t)
      try share?.add(bytes, at: now.milliseconds, t)
      return (made, shown.gone)
    }
    return try await answer(made, managementPassword, photo)
  }

  /// What a create answers: the password only to who has it.
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

  /// The management password for an announcement whose maker decides none: of one key's text always the
  /// same, so that a repeated create can answer it once more although neither is kept; of another text
  /// another one, which can't be guessed.
  public func managementPassword(idempotencyKey text: String) async throws -> String {
    ManagementPassword.derived(from: try await storedSecret(), for: text)
  }

  private func storedSecret() async throws -> Data {
    try await secret.value { try await database.reading(.lookUp) { try $0.storeSecret() } }
  }

  /// See the protocol; the key says enough here.
  public func withdraw(
    idempotencyKey: UUID, credentials: AnnouncementCredentials?
  ) async throws -> Announcement? {
    let key = FieldValue.text(idempotencyKey.uuidString)
    return try await writing { [logger] t in
      try t.run(
        "DELETE FROM announcement WHERE idempotency_key = $1 AND photo_id IS NULL", [key])
      return try t.rows(
        "SELECT \(AnnouncementRows.columns) FROM announcement WHERE idempotency_key = $1", [key]
      ).first.flatMap { AnnouncementRows.announcement($0, logger) }
    }
  }

  // MARK: - The way to the database

  /// `writing` for a transaction that records a photo with the announcement that shows it.
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

  /// Runs a transaction. It is committed even if `act` throws an `AnnouncementError`: tries that `act` counted stay
  /// counted.
  @discardableResult
  func writing<Value: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await database.writing { t in try Self.result { try act(t) } }.get()
  }

  /// Looks something up.
  func reading<Value: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await database.reading(.lookUp) { t in try Self.result { try act(t) } }.get()
  }

  /// An `AnnouncementError` is no failure of the database, so it leaves the transaction as a value.
  private static func result<Value>(
    _ act: () throws -> Value
  ) throws -> Result<Value, AnnouncementError> {
    do { return .success(try act()) } catch let refusal as AnnouncementError {
      return .failure(refusal)
    }
  }
}
