public import Announcements
public import Foundation
public import Logging
public import PhotoAttachments
public import PhotoIngestion

/// Stores announcements, and checks who may change them: each has one password, of which only a
/// hash is stored, and wrong ones are counted.
public struct AnnouncementStore: AnnouncementRepositoryProtocol {
  let storage: RecordedAnnouncements
  private let secret = StoreSecret()
  let now: @Sendable () -> Date
  private let logger: Logger
  /// By whom creations are counted; nil counts none.
  private var countedClient: String?
  /// What that client may add to the announced pictures; nil for any number of bytes.
  var share: PhotoShare?

  /// The announcements in the database that `photos` are recorded in; what operators do is logged to
  /// `logger`.
  public init(
    _ photos: PhotoAttachmentCache, logger: Logger = Logger(label: "petspot"),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    storage = RecordedAnnouncements(photos, logger: logger)
    self.logger = logger
    self.now = now
  }

  /// The same store for what `client` creates, by whom it is counted.
  ///
  /// - Parameter photoBytes: bytes of pictures that the client may add in 30 days; nil for any number.
  public func creating(for client: String, photoBytes: Int? = nil) -> Self {
    var store = self
    store.countedClient = client
    store.share = photoBytes.map { PhotoShare(client: client, bytes: $0) }
    return store
  }

  /// Returns when the client may add pictures; throws `spaceUsedUp`. Call it before a photo is received: the
  /// act that follows counts its bytes.
  public func checkPhotoShare() async throws {
    if let share { try await storage.check(share, at: now()) }
  }

  // MARK: - Looking

  /// See the protocol; every list is found through an index.
  public func announcements(
    matching query: AnnouncementListQuery
  ) async throws -> [Announcement] {
    try await list(matching: query).announcements
  }

  /// The same, with where the list goes on.
  ///
  /// - Parameter budget: how many announcements are looked at, unless all are asked for.
  package func list(
    matching query: AnnouncementListQuery, budget: Int = maxLookedAt
  ) async throws -> AnnouncementList {
    if query.sortBy == .distanceFromUser && query.location == nil {
      throw AnnouncementError.locationRequired
    }
    return try await storage.list(matching: query, budget: budget)
  }

  /// Those of these numbers of a list that are listed still, in their order.
  package func listed(_ numbers: [Int64]) async throws -> [Announcement] {
    try await storage.listed(numbers)
  }

  /// How many announcements a request looks at.
  package static let maxLookedAt = 20_000

  /// Throws when the database doesn't answer.
  package func checkDatabase() async throws { try await storage.checkDatabase() }

  /// See the protocol; a stored row that is not valid counts as not found, and is logged.
  public func announcement(id: String) async throws -> Announcement {
    guard let found = try await storage.announcement(id: id) else {
      throw try await missing(id)
    }
    return found
  }

  /// Of an erased announcement is known that it was here, as of one that was closed.
  private func missing(_ id: String) async throws -> AnnouncementError {
    try await storage.isErased(id: id) ? .closed(id: id) : .notFound(id: id)
  }

  /// The first of the ids that begin with this text, in their order, closed announcements' too.
  public func ids(beginning text: String, limit: Int) async throws -> [String] {
    try await storage.ids(beginning: text, limit: limit)
  }

  /// See the protocol; found through an index.
  public func shows(photo id: UUID) async throws -> Bool { try await storage.shows(photo: id) }

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
    let request = try CreateRequest(
      report, key: idempotencyKey, client: client?.digested(try await secret.value(storage.secret)),
      countedClient: countedClient, at: now())
    if let found = try await storage.find(request) {
      return try await answer(found, managementPassword, photo)
    }
    let hash = ManagementPassword.hash(managementPassword, of: request.id)
    let made = try await storage.findOrMake(
      request, hash: hash, photo: photo, share: share, at: now())
    return try await answer(made, managementPassword, photo)
  }

  /// What a create answers: the password only to who has it.
  private func answer(
    _ made: CreateResult, _ password: String, _ photo: PreparedPhoto?
  ) async throws -> CreatedAnnouncement {
    let isOwner = ManagementPassword.verify(password, of: made.id, against: made.hash)
    var announcement = try await announcement(id: made.id)
    if let photo, announcement.details.photoID == nil {
      announcement = try await attachPhoto(photo, to: made.id, managementPassword: password)
    }
    return CreatedAnnouncement(
      announcement: announcement, managementPassword: isOwner ? password : nil)
  }

  /// The management password for an announcement whose maker decides none: of one key's text always the
  /// same, so that a repeated create can answer it once more although neither is kept; of another text
  /// another one, which can't be guessed.
  public func managementPassword(idempotencyKey text: String) async throws -> String {
    ManagementPassword.derived(from: try await secret.value(storage.secret), for: text)
  }

  /// See the protocol; the key says enough here.
  public func withdraw(
    idempotencyKey: UUID, credentials: AnnouncementCredentials?
  ) async throws -> Announcement? {
    try await storage.withdraw(key: idempotencyKey)
  }

  // MARK: - Changing

  /// Returns when the password is the announcement's; throws `notFound`, `wrongPassword` and `throttled`.
  /// Call it before work that only the owner may cause, such as receiving a photo: the act
  /// that follows asks again, which then costs next to nothing.
  public func authorize(id: String, managementPassword: String, client: String?) async throws {
    _ = try await authorized(id, managementPassword, client)
  }

  /// See the protocol.
  public func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    let hash = try await authorized(id, managementPassword, client)
    try await storage.attach(photo, to: id, hash: hash, share: share, at: now())
    return try await announcement(id: id)
  }

  /// The same with a photo that is not on record, whose code was right before it came.
  public func attachPhoto(
    _ photo: PreparedPhoto, to id: String, managementPassword: String
  ) async throws -> Announcement {
    try await attachPhoto(
      photo, to: right(id: id, managementPassword: managementPassword, client: nil))
  }

  /// What an open announcement's owner has reported, with what others don't see of it.
  ///
  /// - Throws: what `authorize` throws; `closed`, `takenDown`.
  public func report(
    id: String, managementPassword: String, client: String?
  ) async throws -> NewAnnouncement {
    try await report(right(id: id, managementPassword: managementPassword, client: client))
  }

  /// Changes what an open announcement says; others that change it at the same moment do so before or
  /// after it.
  ///
  /// - Parameters:
  ///   - id: the announcement's.
  ///   - managementPassword: its code.
  ///   - client: by whom wrong codes are counted.
  ///   - edit: changes the report as it stands then.
  /// - Throws: what `authorize` throws; `closed`, `takenDown`, `duplicateMicrochip`; `invalid` with the
  ///   fields that break a rule and did not before.
  public func change(
    id: String, managementPassword: String, client: String?,
    _ edit: @escaping @Sendable (inout NewAnnouncement) -> Void
  ) async throws -> Announcement {
    try await change(
      right(id: id, managementPassword: managementPassword, client: client), client: client, edit)
  }

  /// See the protocol.
  public func close(
    id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    try await close(right(id: id, managementPassword: managementPassword, client: client))
  }

  /// See the protocol.
  public func erase(id: String, managementPassword: String, client: String?) async throws {
    try await erase(right(id: id, managementPassword: managementPassword, client: client))
  }

  // MARK: - Operating

  /// Takes an announcement down: no list and no visitor gets it, nor its photo, and it no longer occupies
  /// its microchip's number. Its owner may close or erase it, nothing else (decision 43). Needs no
  /// password, only access to the store; is logged.
  ///
  /// - Parameters:
  ///   - id: the announcement's.
  ///   - reason: for operators, 1 to 500 characters.
  /// - Throws: `notFound`, `invalid` with `reason`.
  public func hide(id: String, reason: String) async throws {
    let reason = reason.trimmed
    guard !reason.isEmpty, reason.fits(characters: Announcement.maxDescriptionLength),
      reason.isStorable
    else {
      throw AnnouncementError.invalid(["reason"])
    }
    try await storage.hide(id: id, reason: reason, at: now())
    note("announcement hidden", id, ["reason": "\(reason)"])
  }

  /// Takes `hide` back; an announcement that its owner has closed stays closed. Is logged.
  ///
  /// - Throws: `notFound`; `duplicateMicrochip` when another one was announced with its chip meanwhile.
  public func unhide(id: String) async throws {
    try await storage.hide(id: id, reason: nil, at: now())
    note("announcement no longer hidden", id)
  }

  /// The announcements that `hide` took down, the last changed first; their details hold the reasons.
  public func hidden(limit: Int) async throws -> [Announcement] {
    try await storage.hidden(limit: limit)
  }

  /// Deletes an announcement as its owner would, without the password. Is logged.
  ///
  /// - Throws: `notFound`.
  public func erase(id: String) async throws {
    _ = try await storage.access(id: id, client: nil, at: now())
    try await storage.erase(id: id, hash: nil)
    note("announcement erased by an operator", id)
  }

  /// Warns, since a command logs nothing less unless it's asked to.
  private func note(_ act: Logger.Message, _ id: String, _ facts: Logger.Metadata = [:]) {
    logger.warning(act, metadata: facts.merging(["id": "\(id)", "user": "\(getuid())"]) { $1 })
  }

  /// Returns the hash that `password` is right for. A wrong one is counted in the store, so that neither a
  /// restart nor many tries at once, at whatever servers, get around the limit of `ClientTries`; while the
  /// client waits, none is compared.
  func authorized(
    _ id: String, _ password: String, _ client: String?
  ) async throws -> String {
    let access = try await access(id: id, client: client)
    if let moment = access.waitsUntil { throw AnnouncementError.throttled(until: moment) }
    guard ManagementPassword.verify(password, of: id, against: access.hash) else {
      try await storage.countTry(id: id, client: client, at: now())
      throw AnnouncementError.wrongPassword
    }
    if let client, access.isCounted { try await storage.forgetTries(id: id, client: client) }
    return access.hash
  }

  /// How an announcement and a client's tries stand.
  ///
  /// - Throws: `notFound`, `closed` for an erased one.
  func access(id: String, client: String?) async throws -> OwnerAccess {
    do {
      return try await storage.access(id: id, client: client, at: now())
    } catch AnnouncementError.notFound {
      throw try await missing(id)
    }
  }
}
