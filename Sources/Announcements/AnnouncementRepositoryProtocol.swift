public import Foundation

/// Where announcements are kept: the database on this machine, or a server (seed 058,
/// `AnnouncementRepositoryProtocol`). Every function throws `AnnouncementError`.
public protocol AnnouncementRepositoryProtocol: Sendable {
  /// The valid announcements that `query` asks for, in its order; invalid ones are skipped and
  /// logged, closed ones are not listed. Throws `locationRequired` when sorting by distance has no
  /// location.
  func announcements(matching query: AnnouncementListQuery) async throws -> [Announcement]

  /// The announcement of this id, closed ones too; throws `notFound`.
  func announcement(id: String) async throws -> Announcement

  /// Makes an announcement, or finds the one that was made with this key before.
  ///
  /// Until a photo has arrived a repeat carries a fresh management password, since the first answer
  /// may have been lost; afterwards it carries none. Throws `invalid`.
  func create(_ report: NewAnnouncement, idempotencyKey: UUID) async throws -> CreatedAnnouncement

  /// Gives the announcement its photo, or another one; throws `notFound`, `wrongPassword`,
  /// `throttled` and `missingPhoto`.
  func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String
  ) async throws -> Announcement

  /// Takes the announcement out of every list for good; throws `notFound`, `wrongPassword` and
  /// `throttled`. Closing twice is no error.
  func close(id: String, managementPassword: String) async throws -> Announcement
}

/// What making an announcement answers.
public struct CreatedAnnouncement: Sendable, Equatable {
  /// The announcement as others see it.
  public let announcement: Announcement
  /// The secret that changes and closes it, shown once; nil when it was shown before.
  public let managementPassword: String?

  /// An answer of these parts.
  public init(announcement: Announcement, managementPassword: String?) {
    (self.announcement, self.managementPassword) = (announcement, managementPassword)
  }
}

/// A proved photo for an announcement: its blob on this machine and what the blob is.
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
