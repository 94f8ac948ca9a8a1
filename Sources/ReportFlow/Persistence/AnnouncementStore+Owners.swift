public import Announcements
import Foundation
import Logging
import PhotoAttachments
public import PhotoIngestion

/// Proof that the caller knows an announcement's code. Owner operations require it and fail if the code has
/// changed since.
public struct AnnouncementOwner: Sendable, Equatable {
  /// The announcement's id.
  public let id: String
  /// The hash of its code.
  package let hash: String
  /// Why visitors don't see the announcement; nil for an open one.
  let refusal: AnnouncementError?
  /// The hash of a new code that was sent and not used yet.
  var newHash: String?

  /// Throws `takenDown` or `closed` unless the announcement was open when its owner was authorized.
  package func requireOpen() throws(AnnouncementError) {
    if let refusal { throw refusal }
  }
}

/// What an owner may do.
extension AnnouncementStore {
  /// Returns the owner of an announcement whose password is right. Call it before work that only the owner
  /// may cause, such as receiving a photo.
  ///
  /// A wrong one is counted in the store, so that neither a restart nor many tries at once, at whatever servers,
  /// get around the limit of `ClientTries`; while the client waits, none is compared.
  ///
  /// - Throws: `notFound`, `closed` for an erased one, `wrongPassword`, `throttled`.
  @discardableResult
  public func authorize(
    id: String, managementPassword: String, client: String?
  ) async throws -> AnnouncementOwner {
    let access = try await access(id: id, client: client)
    if let moment = access.waitsUntil { throw AnnouncementError.throttled(until: moment) }
    var owner = access.owner
    if !ManagementPassword.verify(managementPassword, of: id, against: owner.hash) {
      guard let newHash = owner.newHash,
        ManagementPassword.verify(managementPassword, of: id, against: newHash)
      else {
        try await countTry(id: id, client: client)
        throw AnnouncementError.wrongPassword
      }
      owner = AnnouncementOwner(id: id, hash: newHash, refusal: owner.refusal)
      try await useNewCode(newHash, of: id)
    }
    if let client, access.isCounted { try await forgetTries(id: id, client: client) }
    return owner
  }

  /// Lets a new code, which was used for the first time, take the place of the old one.
  private func useNewCode(_ hash: String, of id: String) async throws {
    try await writing { t in
      try t.run(
        """
        UPDATE announcement SET password_hash = $2, new_password_hash = NULL
        WHERE id = $1 AND new_password_hash = $2
        """, [.text(id), .text(hash)])
      return .success(())
    }
  }

  /// Sends a new code where this is the address of an open announcement. The old one works until the new one is
  /// used.
  package func sendNewCode(of id: String, to address: String) async throws {
    guard let letters, id.isStorable, address.isStorable else { return }
    let code = ManagementPassword.random()
    let hash = ManagementPassword.hash(code, of: id)
    let (now, client) = (now().milliseconds, countedClient)
    try await writing { t in
      let found = try t.rows(
        "SELECT email FROM announcement WHERE id = $1 AND closed_at IS NULL\(t.dialect.forUpdate)",
        [.text(id)])
      guard let email = found.first?.text(0), email.lowercased() == address.lowercased() else {
        return .success(())
      }
      let isSent = try MailQueue.add(
        letters.newCode(code, of: id, to: email), about: id, for: client, at: now, t)
      if isSent {
        try t.run(
          "UPDATE announcement SET new_password_hash = $2 WHERE id = $1", [.text(id), .text(hash)])
      }
      return .success(())
    }
  }

  /// The owner of an announcement as its code stands on record now, for a client that can show that it had it.
  ///
  /// - Throws: `notFound`, `closed` for an erased one.
  package func owner(id: String) async throws -> AnnouncementOwner {
    try await access(id: id, client: nil).owner
  }

  /// See the protocol.
  public func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    let owner = try await authorize(id: id, managementPassword: managementPassword, client: client)
    let now = now()
    let share = share
    let catalog = photos.catalog
    let shown = try await writing { [logger] t -> Result<Shown, AnnouncementError> in
      let before: String?
      switch try Self.lock(owner, whenClosed: nil, t) {
      case .failure(let refusal): return .failure(refusal)
      case .success(let photo): before = photo
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
      let shown = try catalog.show(
        photo.id, announcement: id, insteadOf: before, at: now,
        returning: AnnouncementRows.columns, t)
      return .success(Shown(shown, id, logger))
    }
    await photos.release(shown.gone)
    return try shown.announcement.get()
  }

  /// The same with a photo that is not on record.
  ///
  /// - Throws: `notFound`, `takenDown`, `closed`, `duplicateMicrochip`, `spaceUsedUp`; the photo is not
  ///   recorded then.
  public func attachPhoto(
    _ photo: PreparedPhoto, to owner: AnnouncementOwner
  ) async throws -> Announcement {
    let now = now()
    let share = share
    let catalog = photos.catalog
    return try await writing(storing: photo) { [logger] t, stored in
      let before: String?
      switch try Self.lock(owner, whenClosed: .closed(id: owner.id), t) {
      case .failure(let refusal): return (.failure(refusal), nil)
      case .success(let photo): before = photo
      }
      let bytes = photo.pictureBytes
      if let refusal = try share?.refusal(adding: bytes, locking: true, at: now.milliseconds, t) {
        return (.failure(refusal), nil)
      }
      let shown = try catalog.show(
        stored, announcement: owner.id, insteadOf: before, at: now,
        returning: AnnouncementRows.columns, t)
      try share?.add(bytes, at: now.milliseconds, t)
      return (Shown(shown, owner.id, logger).announcement, shown.gone)
    }
  }

  /// What an open announcement's owner has reported, with what others don't see of it.
  ///
  /// - Throws: `notFound`, `closed`, `takenDown`.
  package func report(_ owner: AnnouncementOwner) async throws -> NewAnnouncement {
    try await change(owner, client: nil) { _ in }
  }

  /// Changes what an open announcement says, in one step with reading it. Nothing is written when `edit` changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - owner: the announcement's.
  ///   - client: by whom a refused chip is counted, as in `create`.
  ///   - edit: changes the report as it stands then.
  /// - Throws: `notFound`, `closed`, `takenDown`, `duplicateMicrochip`, `throttled`; `invalid` with the
  ///   fields that break a rule and did not before.
  @discardableResult
  package func change(
    _ owner: AnnouncementOwner, client: String?,
    _ edit: @escaping @Sendable (inout NewAnnouncement) -> Void
  ) async throws -> NewAnnouncement {
    let id = owner.id
    let now = now()
    return try await writing { t in
      let names = AnnouncementRows.names + ["email", "microchip_number"]
      let row: ResultRow
      switch try Self.row(of: owner, names.joined(separator: ", "), t) {
      case .failure(let refusal): return .failure(refusal)
      case .success(let found): row = found
      }
      func field(_ name: String) -> FieldValue {
        names.firstIndex(of: name).map { row[$0] } ?? .null
      }
      guard let before = NewAnnouncement(stored: field) else { return .failure(.notFound(id: id)) }
      if let reason = field("hidden_reason").text {
        return .failure(.takenDown(id: id, reason: reason))
      }
      if field("closed_at") != .null { return .failure(.closed(id: id)) }
      var report = before
      edit(&report)
      if report == before { return .success(report) }
      let wrong = before.invalidFields(now: now)
      let invalid = report.invalidFields(now: now).filter { !wrong.contains($0) }
      guard invalid.isEmpty else { return .failure(.invalid(invalid)) }
      if report.microchipNumber != before.microchipNumber {
        try t.lock(chip: report.microchipNumber)
        if let refusal = try Self.refusal(
          ofChip: report.microchipNumber, butNot: id, client: client, at: now.milliseconds, t)
        {
          return .failure(refusal)
        }
      }
      let columns = Array(report.columns)
      let set = columns.enumerated().map { "\($1.key) = $\($0 + 3)" }.joined(separator: ", ")
      try t.run(
        "UPDATE announcement SET \(set), updated_at = $1 WHERE id = $2",
        [.int(now.milliseconds), .text(id)] + columns.map(\.value))
      if report.searchText != before.searchText || report.species != before.species {
        try AnnouncementWords.write(of: id, report.searchText, report.species, t)
      }
      return .success(report)
    }
  }

  /// See the protocol.
  public func erase(id: String, managementPassword: String, client: String?) async throws {
    try await erase(authorize(id: id, managementPassword: managementPassword, client: client))
  }

  /// Deletes the announcement. Gone is no error.
  ///
  /// - Throws: `wrongPassword` if the code was replaced since the owner was authorized.
  package func erase(_ owner: AnnouncementOwner) async throws {
    let catalog = photos.catalog
    let gone = try await writing { t -> Result<[BlobPath], AnnouncementError> in
      // Before the row, as everything that erases does.
      try t.lock(.erasures)
      if case .failure(.wrongPassword) = try Self.row(of: owner, "id", t) {
        return .failure(.wrongPassword)
      }
      return .success(try Self.erase("id = $1", [.text(owner.id)], catalog, t))
    }
    await photos.release(gone)
  }

  /// Deletes the announcement of a condition; the draft it was made of, since it has the same contact data; and
  /// its photo, unless another announcement or draft shows it. What is deleted leaves a mark (`ErasureMark`).
  func erase(_ condition: String, _ values: [FieldValue]) async throws {
    let catalog = photos.catalog
    let gone = try await writing { .success(try Self.erase(condition, values, catalog, $0)) }
    await photos.release(gone)
  }

  /// Locks an owner's announcement, with its chip, since a photo puts it on the lists.
  ///
  /// - Returns: the photo that it shows; or why it gets no other one.
  private static func lock(
    _ owner: AnnouncementOwner, whenClosed: AnnouncementError?, _ t: Transaction
  ) throws -> Result<String?, AnnouncementError> {
    let row: ResultRow
    switch try Self.row(of: owner, "microchip_number, closed_at, hidden_reason, photo_id", t) {
    case .failure(let refusal): return .failure(refusal)
    case .success(let found): row = found
    }
    if let reason = row.text(2) { return .failure(.takenDown(id: owner.id, reason: reason)) }
    if row.number(1) != nil {
      return whenClosed.map { .failure($0) } ?? .success(row.text(3))
    }
    try t.lock(chip: row.text(0))
    return try isListed(chip: row.text(0), butNot: owner.id, t)
      ? .failure(.duplicateMicrochip) : .success(row.text(3))
  }
}

/// An announcement as its row says once it shows a photo.
private struct Shown: Sendable {
  let announcement: Result<Announcement, AnnouncementError>
  /// Pictures to be given up.
  let gone: [BlobPath]

  init(_ shown: (row: ResultRow?, gone: [BlobPath]), _ id: String, _ logger: Logger) {
    let announcement = shown.row.flatMap { AnnouncementRows.announcement($0, logger) }
    self.announcement = announcement.map { .success($0) } ?? .failure(.notFound(id: id))
    gone = shown.gone
  }
}
