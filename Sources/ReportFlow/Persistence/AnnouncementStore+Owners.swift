package import Announcements
package import PhotoIngestion

/// The right of an announcement's owner: what is on record of the code that was right. It ends with that
/// record.
package struct OwnerRight: Sendable, Equatable {
  /// The announcement's id.
  package let id: String
  /// The hash of its code.
  package let record: String
}

/// What an owner may do whose code was looked at before.
extension AnnouncementStore {
  /// The right of who knows an announcement's code.
  ///
  /// - Throws: what `authorize` throws.
  package func right(
    id: String, managementPassword: String, client: String?
  ) async throws -> OwnerRight {
    OwnerRight(id: id, record: try await authorized(id, managementPassword, client))
  }

  /// The right to an announcement as its code stands on record now, for who can show that he had it.
  ///
  /// - Throws: `notFound`, `closed` for an erased one.
  package func rightOnRecord(id: String) async throws -> OwnerRight {
    OwnerRight(id: id, record: try await access(id: id, client: nil).hash)
  }

  /// See `attachPhoto(_:to:managementPassword:client:)`.
  package func attachPhoto(
    _ photo: PreparedPhoto, to right: OwnerRight
  ) async throws -> Announcement {
    try await storage.attach(photo, to: right.id, hash: right.record, share: share, at: now())
    return try await announcement(id: right.id)
  }

  /// See `report(id:managementPassword:client:)`.
  package func report(_ right: OwnerRight) async throws -> NewAnnouncement {
    try await storage.change(id: right.id, hash: right.record, client: nil, at: now()) { _ in nil }
  }

  /// See `change(id:managementPassword:client:_:)`.
  package func change(
    _ right: OwnerRight, client: String?,
    _ edit: @escaping @Sendable (inout NewAnnouncement) -> Void
  ) async throws -> Announcement {
    let now = now()
    try await storage.change(id: right.id, hash: right.record, client: client, at: now) { report in
      let before = Set(report.invalidFields(now: now))
      edit(&report)
      let invalid = report.invalidFields(now: now).filter { !before.contains($0) }
      return invalid.isEmpty ? nil : .invalid(invalid)
    }
    return try await announcement(id: right.id)
  }

  /// See `close(id:managementPassword:client:)`.
  package func close(_ right: OwnerRight) async throws -> Announcement {
    try await storage.close(id: right.id, hash: right.record, at: now())
    return try await announcement(id: right.id)
  }

  /// See `erase(id:managementPassword:client:)`.
  package func erase(_ right: OwnerRight) async throws {
    try await storage.erase(id: right.id, hash: right.record)
  }
}
