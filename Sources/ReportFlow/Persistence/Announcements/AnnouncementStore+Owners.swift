public import Announcements
package import Foundation
import Logging
package import PhotoAttachments
public import PhotoIngestion

/// Proof that the caller knows an announcement's code, which is its management password. Owner operations require it
/// and fail if the code has changed since.
public struct AnnouncementOwner: Sendable, Equatable {
  /// The announcement's id.
  package let id: String
  /// The hash of its code.
  package let hash: String
  /// The reason why visitors can't see the announcement, or `nil` if it's open.
  let refusal: AnnouncementError?
  /// The time when its owner, or an operator, closed it.
  let closedAt: Date?

  /// Returns `true` if `reopen` would still open the announcement.
  package func canReopen(at now: Date) -> Bool {
    guard case .closed = refusal, let closedAt else { return false }
    return closedAt > now - AnnouncementStore.reopenSeconds
  }

  /// Throws `takenDown` or `closed` unless the announcement was open when its owner was authorized.
  package func requireOpen() throws(AnnouncementError) {
    if let refusal { throw refusal }
  }
}

/// The operations of owners.
extension AnnouncementStore {
  /// Returns the owner of an announcement if the password is right. Call it before work that only the owner may cause,
  /// such as receiving a photo.
  ///
  /// Counting and comparing happen in one transaction, and a client's tries run one after the other. A restart or many
  /// concurrent tries, even on several servers, can't exceed the limit of `ClientTries`. While the client has to wait,
  /// no code is compared.
  ///
  /// - Throws: `notFound`; `closed` for an erased announcement; `wrongPassword`; `throttled`.
  @discardableResult
  package func authorize(
    id: String, managementPassword: String, client: String?
  ) async throws -> AnnouncementOwner {
    // Fail early without a write transaction if there is no code to compare.
    let access = try await access(id: id, client: client)
    if let moment = access.waitsUntil { throw AnnouncementError.throttled(until: moment) }
    let now = now().milliseconds
    return try await writing {
      try Self.authorize(id, managementPassword, client, at: now, $0)
    }
  }

  /// Returns the owner for an announcement's current code without checking a password. The caller must have made sure
  /// in another way that the client had the code.
  ///
  /// - Throws: `notFound`; `closed` for an erased announcement.
  package func owner(id: String) async throws -> AnnouncementOwner {
    try await access(id: id, client: nil).owner
  }

  /// Attaches a recorded photo to an announcement. See `AnnouncementRepositoryProtocol`.
  public func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    let owner = try await authorize(id: id, managementPassword: managementPassword, client: client)
    let now = now()
    let share = share
    let catalog = photos.catalog
    let shown = try await writing { [logger] t in
      let before = try Self.lock(owner, whenClosed: nil, t)
      // The lock keeps other transactions from releasing or repairing the photo meanwhile.
      let found = try t.rows(
        """
        SELECT "blobSizeBytes" + "previewSizeBytes" FROM photo
        WHERE "id" = $1 AND "blobSHA256" = $2\(t.dialect.forShare)
        """, [.text(photo.id.uuidString), .text(photo.sha256)])
      guard let bytes = found.first?.number(0) else { throw AnnouncementError.missingPhoto }
      try share?.check(adding: Int(bytes), at: now.milliseconds, t)
      try share?.add(Int(bytes), at: now.milliseconds, t)
      let shown = try catalog.showPhoto(
        photo.id, announcement: id, insteadOf: before, at: now,
        returning: AnnouncementRows.columns, t)
      return Shown(shown, logger)
    }
    await photos.release(shown.gone)
    guard let announcement = shown.announcement else { throw AnnouncementError.notFound(id: id) }
    return announcement
  }

  /// Records a photo and attaches it to an announcement.
  ///
  /// - Throws: `notFound`, `takenDown`, `closed`, `duplicateMicrochip` or `spaceUsedUp`. In these cases the photo isn't
  ///   recorded.
  public func attachPhoto(
    _ photo: PreparedPhoto, to owner: AnnouncementOwner
  ) async throws -> Announcement {
    let now = now()
    let share = share
    let catalog = photos.catalog
    do {
      let announcement = try await writing(storing: photo) { [logger] t, stored in
        let before = try Self.lock(owner, whenClosed: .closed(id: owner.id), t)
        let bytes = photo.pictureBytes
        try share?.check(adding: bytes, at: now.milliseconds, t)
        let shown = try catalog.showPhoto(
          stored, announcement: owner.id, insteadOf: before, at: now,
          returning: AnnouncementRows.columns, t)
        try share?.add(bytes, at: now.milliseconds, t)
        return (Shown(shown, logger).announcement, shown.gone)
      }
      guard let announcement else { throw AnnouncementError.notFound(id: owner.id) }
      return announcement
    } catch AnnouncementError.notFound {
      // The announcement may have been erased while the photo was decoded.
      throw try await missing(owner.id)
    }
  }

  /// Returns the report of an open announcement, including what only its owner can see.
  ///
  /// - Throws: `notFound`, `closed`, `takenDown`.
  package func report(_ owner: AnnouncementOwner) async throws -> NewAnnouncement {
    try await change(owner, client: nil) { _ in }
  }

  /// Edits the report of an open announcement in the transaction that reads it. Writes nothing if `edit` changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - owner: the announcement's owner.
  ///   - client: the client for which an attempt with a refused microchip number is counted, as in `create`.
  ///   - edit: edits the current report.
  /// - Throws: `notFound`, `closed`, `takenDown`, `duplicateMicrochip`, `throttled`; `invalid` with the fields that
  ///   were valid and no longer are.
  @discardableResult
  package func change(
    _ owner: AnnouncementOwner, client: String?,
    _ edit: @escaping @Sendable (inout NewAnnouncement) -> Void
  ) async throws -> NewAnnouncement {
    let id = owner.id
    let now = now()
    return try await writing { [self] t in
      let names = AnnouncementRows.names + ["email", "microchip_number"]
      let row = try Self.row(of: owner, names.joined(separator: ", "), t)
      func field(_ name: String) -> FieldValue {
        names.firstIndex(of: name).map { row[$0] } ?? .null
      }
      guard let before = NewAnnouncement(stored: field) else {
        throw AnnouncementError.notFound(id: id)
      }
      if let reason = field("hidden_reason").text {
        throw AnnouncementError.takenDown(id: id, reason: reason)
      }
      if field("closed_at") != .null { throw AnnouncementError.closed(id: id) }
      var report = before
      edit(&report)
      if !keepsEmail { report.email = before.email }
      if report == before { return report }
      let wrong = before.invalidFields(now: now)
      let invalid = report.invalidFields(now: now).filter { !wrong.contains($0) }
      guard invalid.isEmpty else { throw AnnouncementError.invalid(invalid) }
      if report.microchipNumber != before.microchipNumber {
        try t.lock(chip: report.microchipNumber)
        try Self.checkChip(
          report.microchipNumber, butNot: id, client: client, at: now.milliseconds, t)
      }
      let columns = Array(report.columns)
      let set = columns.enumerated().map { "\($1.key) = $\($0 + 3)" }.joined(separator: ", ")
      try t.execute(
        "UPDATE announcement SET \(set), updated_at = $1 WHERE id = $2",
        [.int(now.milliseconds), .text(id)] + columns.map(\.value))
      if report.searchText != before.searchText || report.species != before.species {
        try AnnouncementWords.write(of: id, report.searchText, report.species, t)
      }
      if report.email?.lowercased() != before.email?.lowercased() {
        try endMailedCode(of: id, from: before.email, to: report.email, at: now.milliseconds, t)
      }
      return report
    }
  }

  /// Deletes an announcement. See `AnnouncementRepositoryProtocol`.
  public func erase(id: String, managementPassword: String, client: String?) async throws {
    try await erase(authorize(id: id, managementPassword: managementPassword, client: client))
  }

  /// Deletes the announcement. Succeeds if it doesn't exist.
  ///
  /// - Returns: the last picture that couldn't be deleted. `sweep` deletes it later.
  /// - Throws: `wrongPassword` if the code was replaced since the owner was authorized.
  @discardableResult
  package func erase(
    _ owner: AnnouncementOwner
  ) async throws -> PhotoAttachmentCache.NotDeleted? {
    let catalog = photos.catalog
    let gone = try await endingUploads(of: owner.id) {
      try await writing { t in
        // Every transaction that erases takes this lock before the row's lock.
        try t.lock(.erasures)
        do { _ = try Self.row(of: owner, "id", t) } catch AnnouncementError.notFound {}
        return try Self.erase("id = $1", [.text(owner.id)], catalog, t)
      }
    }
    return await photos.release(gone)
  }

  /// Locks an owner's announcement and its microchip number. The number must still be free, because the announcement
  /// appears in lists when it gets its photo.
  ///
  /// - Returns: the id of its current photo.
  /// - Throws: the reason why it can't get another photo.
  private static func lock(
    _ owner: AnnouncementOwner, whenClosed: AnnouncementError?, _ t: Transaction
  ) throws -> String? {
    let row = try Self.row(of: owner, "microchip_number, closed_at, hidden_reason, photo_id", t)
    if let reason = row.text(2) { throw AnnouncementError.takenDown(id: owner.id, reason: reason) }
    if row.number(1) != nil {
      if let whenClosed { throw whenClosed }
      return row.text(3)
    }
    try lockFree(chip: row.text(0), of: owner.id, t)
    return row.text(3)
  }
}

/// An announcement after a photo was attached to it.
private struct Shown: Sendable {
  /// `nil` if its row can't be read.
  let announcement: Announcement?
  /// The pictures to release.
  let gone: [BlobPath]

  init(_ shown: (row: ResultRow?, gone: [BlobPath]), _ logger: Logger) {
    announcement = shown.row.flatMap { AnnouncementRows.announcement($0, logger) }
    gone = shown.gone
  }
}
