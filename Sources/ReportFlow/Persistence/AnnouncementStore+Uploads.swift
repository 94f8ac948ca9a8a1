import PhotoAttachments

/// Uploads that end with their announcement (decision 80).
extension AnnouncementStore {
  /// Runs an act that takes an announcement from its visitors, and deletes the uploads of the announcement and of
  /// the drafts it was made of. A database deletes them in the act's transaction. Those in a folder are deleted
  /// before, so that nothing has changed if that fails, and again afterwards, because one may have begun meanwhile.
  func endingUploads<Value: Sendable>(
    of id: String, _ act: () async throws -> Value
  ) async throws -> Value {
    guard id.isStorable else { return try await act() }
    let owners = try await database.reading(.lookUp) { try Self.uploadOwners(of: id, $0) }
    let folder = UploadFolder(beside: photos.folder)
    let threads = database.threads
    try await threads.finish { try folder.removeUploads(of: owners) }
    let value = try await act()
    try await threads.finish { try folder.removeUploads(of: owners) }
    return value
  }

  /// Deletes the uploads that a database keeps; SQLite keeps none.
  static func deleteUploads(of id: String, _ t: Transaction) throws {
    guard t.dialect == .postgres else { return }
    try t.run(
      "DELETE FROM upload WHERE owner \(t.dialect.among("$1"))",
      [.list(try uploadOwners(of: id, t))])
  }

  private static func uploadOwners(of id: String, _ t: Transaction) throws -> [String] {
    let drafts = try t.rows(
      "SELECT id FROM report_draft WHERE announcement_id = $1 AND is_submitted", [.text(id)])
    return [Upload.owner(announcement: id)]
      + drafts.compactMap { $0.text(0) }.map(Upload.owner(draft:))
  }
}
