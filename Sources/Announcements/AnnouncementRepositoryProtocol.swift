public import Foundation

/// A store of announcements: the database on this machine, or a server (seed 058,
/// `AnnouncementRepositoryProtocol`). Every function throws `AnnouncementError`, or the error of
/// the store underneath, such as a full disk.
///
/// An announcement is in no list before it has a photo. Wrong management passwords are counted by
/// announcement and client, so that a stranger cannot lock the owner out (decision 35).
public protocol AnnouncementRepositoryProtocol: Sendable {
  /// The valid announcements that `query` asks for, in its order; invalid ones are skipped and
  /// logged, closed ones are not listed. Throws `locationRequired` when sorting by distance has no
  /// location.
  func announcements(matching query: AnnouncementListQuery) async throws -> [Announcement]

  /// The announcement of this id; throws `notFound`. A store on this machine answers closed ones
  /// too; a server says only that it was, by `closed`.
  func announcement(id: String) async throws -> Announcement

  /// Whether an open announcement shows this photo, so that anybody may see it.
  func shows(photo id: UUID) async throws -> Bool

  /// Makes an announcement, or finds the one that was made with this key before.
  ///
  /// The first create decides the management password, a repeat never changes it: one announcement
  /// has one password, for all callers. A server decides it itself and answers it, also to a repeat, so
  /// that the one in the answer takes the place of the one that was sent. Throws `invalid`,
  /// `duplicateMicrochip`, `idempotencyMismatch` when the report is not the one that this key
  /// was used for, and `keyTaken` to a client that may not repeat it.
  ///
  /// - Parameters:
  ///   - report: what is announced.
  ///   - idempotencyKey: the same for every try to make this one.
  ///   - managementPassword: the password the announcement gets; decided, and written down, before
  ///     the first try, so that a lost answer loses nothing.
  ///   - client: who may repeat it within a day; nil for a key that is a secret of its own, such as a
  ///     draft's, which may be repeated at any time.
  /// - Returns: the announcement, with `managementPassword` when it is the announcement's.
  func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String,
    client: AnnouncementClient?
  ) async throws -> CreatedAnnouncement

  /// Gives the announcement its photo, or another one, which puts it on the lists; throws
  /// `notFound`, `wrongPassword`, `throttled`, `missingPhoto` and `duplicateMicrochip`.
  ///
  /// - Parameters:
  ///   - photo: the photo.
  ///   - id: the announcement's.
  ///   - managementPassword: what is said to be its password.
  ///   - client: by whom wrong passwords are counted; nil for a password that was not typed, such as
  ///     that of our own draft, which is no guess and is not counted.
  func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String, client: String?
  ) async throws -> Announcement

  /// Takes the announcement out of every list for good; throws `notFound`, `wrongPassword` and
  /// `throttled`. Closing twice is no error; a server, which says nothing of closed ones,
  /// then throws `closed`.
  func close(
    id: String, managementPassword: String, client: String?
  ) async throws -> Announcement

  /// Deletes the announcement with its contact data and its photo, open or closed, for good; throws
  /// what `close` throws.
  func erase(id: String, managementPassword: String, client: String?) async throws

  /// Takes back what was made with this key and has no photo yet, so that no list showed it; none is no
  /// error.
  ///
  /// - Parameters:
  ///   - idempotencyKey: what it was made with.
  ///   - credentials: of the announcement, if they are known; a server takes nothing back without.
  /// - Returns: the announcement that stays because it has its photo; nil when none is left.
  func withdraw(
    idempotencyKey: UUID, credentials: AnnouncementCredentials?
  ) async throws -> Announcement?
}

extension AnnouncementRepositoryProtocol {
  /// `create` under a key that is a secret of its own.
  public func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String
  ) async throws -> CreatedAnnouncement {
    try await create(
      report, idempotencyKey: idempotencyKey, managementPassword: managementPassword, client: nil)
  }
}

/// The client of a server who creates an announcement.
public struct AnnouncementClient: Sendable, Equatable {
  /// The network it calls from.
  public let network: String
  /// The browser, by a secret that it alone has; nil for another program.
  public let browser: String?

  /// A client of these parts.
  public init(network: String, browser: String?) {
    (self.network, self.browser) = (network, browser)
  }
}

/// What an owner needs to change an announcement.
public struct AnnouncementCredentials: Sendable, Equatable {
  /// The announcement's id.
  public let id: String
  /// Its management password.
  public let managementPassword: String

  /// The credentials of the announcement `id`.
  public init(id: String, managementPassword: String) {
    (self.id, self.managementPassword) = (id, managementPassword)
  }
}

/// What creating an announcement returns.
public struct CreatedAnnouncement: Sendable, Equatable {
  /// The announcement as others see it.
  public let announcement: Announcement
  /// The secret that changes, closes and erases it, shown once; nil when it was shown before.
  public let managementPassword: String?

  /// An answer of these parts.
  public init(announcement: Announcement, managementPassword: String?) {
    (self.announcement, self.managementPassword) = (announcement, managementPassword)
  }
}

/// A prepared photo for an announcement: its blob on this machine, and facts about it.
public struct AnnouncementPhoto: Sendable, Equatable {
  /// The photo's record on this machine.
  public let id: UUID
  /// The blob.
  public let file: URL
  /// The blob's SHA-256 in hexadecimal.
  public let sha256: String
  /// The blob's Uniform Type Identifier.
  public let uti: String

  /// The photo in `file`.
  public init(id: UUID, file: URL, sha256: String, uti: String) {
    (self.id, self.file, self.sha256, self.uti) = (id, file, sha256, uti)
  }
}
