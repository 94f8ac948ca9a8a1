public import Foundation

/// A store of announcements: the database on this machine, or a server (seed 058, `AnnouncementRepositoryProtocol`).
/// Every function throws `AnnouncementError`, or an error of the underlying store, such as a full disk.
///
/// An announcement appears in no list before it has a photo. Wrong management passwords are counted per announcement
/// and client, so that a stranger cannot lock the owner out (decision 35).
public protocol AnnouncementRepositoryProtocol: Sendable {
  /// Returns the announcements that match a query, in its order. Invalid ones are skipped and logged; closed ones are
  /// left out.
  ///
  /// - Throws: `locationRequired` if the query sorts by distance but has no location.
  func announcements(matching query: AnnouncementListQuery) async throws -> [Announcement]

  /// Returns the announcement with this id. A local store also returns closed ones; a server throws `closed` for them.
  ///
  /// - Throws: `notFound` if it doesn't exist.
  func announcement(id: String) async throws -> Announcement

  /// Returns `true` if an open announcement shows this photo, which makes the photo public.
  func shows(photo id: UUID) async throws -> Bool

  /// Creates an announcement, or returns the one that was created before with this key.
  ///
  /// The first call sets the management password and a repeat never changes it, so an announcement has one password for
  /// all callers. A server chooses the password itself and returns it, also on a repeat. The caller must use that one
  /// instead of the one it sent.
  ///
  /// - Parameters:
  ///   - report: the contents of the announcement.
  ///   - idempotencyKey: a key that is the same for every attempt to create this announcement.
  ///   - managementPassword: the password of the new announcement. Choose and save it before the first attempt, so that
  ///     a lost response doesn't lose it.
  ///   - client: the client that may repeat the call within a day. `nil` if the key itself is a secret, such as a
  ///     draft's; then any caller with the key may repeat it at any time.
  /// - Returns: the announcement, with `managementPassword` if that is its password.
  /// - Throws: `invalid`, `duplicateMicrochip`, `idempotencyMismatch` if the key was used for another report, and
  ///   `keyTaken` if the client may not repeat the call.
  func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String,
    client: AnnouncementClient?
  ) async throws -> CreatedAnnouncement

  /// Sets or replaces the photo of an announcement, which makes it appear in lists.
  ///
  /// - Parameters:
  ///   - photo: the photo.
  ///   - id: the announcement's id.
  ///   - managementPassword: the password to check.
  ///   - client: the client for which a wrong password is counted. Pass `nil` for a password that wasn't typed, such as
  ///     that of the caller's own draft.
  /// - Throws: `notFound`, `wrongPassword`, `throttled`, `missingPhoto` or `duplicateMicrochip`.
  func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String, client: String?
  ) async throws -> Announcement

  /// Removes the announcement from every list for good. Closing it twice succeeds in a local store; a server throws
  /// `closed` the second time, because it returns nothing about closed announcements.
  ///
  /// - Throws: `notFound`, `wrongPassword` or `throttled`.
  func close(
    id: String, managementPassword: String, client: String?
  ) async throws -> Announcement

  /// Deletes the announcement, open or closed, with its contact data and its photo.
  ///
  /// - Throws: the same errors as `close`.
  func erase(id: String, managementPassword: String, client: String?) async throws

  /// Deletes the announcement that was created with this key if it has no photo yet and so has never been listed.
  /// Succeeds if it doesn't exist.
  ///
  /// - Parameters:
  ///   - idempotencyKey: the key that it was created with.
  ///   - credentials: the announcement's credentials, if known. A server requires them.
  /// - Returns: the announcement if it stays because it has a photo, otherwise `nil`.
  func withdraw(
    idempotencyKey: UUID, credentials: AnnouncementCredentials?
  ) async throws -> Announcement?
}

extension AnnouncementRepositoryProtocol {
  /// Calls `create` with a key that is a secret of its own.
  public func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String
  ) async throws -> CreatedAnnouncement {
    try await create(
      report, idempotencyKey: idempotencyKey, managementPassword: managementPassword, client: nil)
  }
}

/// A client that creates announcements on a server.
public struct AnnouncementClient: Sendable, Equatable {
  /// The network from which it connects.
  public let network: String
  /// A secret that only this browser has, or `nil` for a program that isn't a browser.
  public let browser: String?

  /// Creates a client.
  public init(network: String, browser: String?) {
    self.network = network
    self.browser = browser
  }
}

/// The credentials that an owner needs to change an announcement.
public struct AnnouncementCredentials: Sendable, Equatable {
  /// The announcement's id.
  public let id: String
  /// Its management password.
  public let managementPassword: String

  /// Creates the credentials for the announcement `id`.
  public init(id: String, managementPassword: String) {
    self.id = id
    self.managementPassword = managementPassword
  }
}

/// The result of creating an announcement.
public struct CreatedAnnouncement: Sendable, Equatable {
  /// The announcement as the public sees it.
  public let announcement: Announcement
  /// The password to change, close and erase it. `nil` if the caller has a different password, or if a draft has
  /// already shown it and therefore no longer stores it.
  public let managementPassword: String?

  /// Creates a result.
  public init(announcement: Announcement, managementPassword: String?) {
    self.announcement = announcement
    self.managementPassword = managementPassword
  }
}

/// A prepared photo for an announcement.
public struct AnnouncementPhoto: Sendable, Equatable {
  /// The photo's record on this machine.
  public let id: UUID
  /// The file with the blob.
  public let file: URL
  /// The blob's SHA-256 in hexadecimal.
  public let sha256: String
  /// The blob's Uniform Type Identifier.
  public let uti: String

  /// Creates a photo from the blob in `file`.
  public init(id: UUID, file: URL, sha256: String, uti: String) {
    self.id = id
    self.file = file
    self.sha256 = sha256
    self.uti = uti
  }
}
