import Announcements
import PhotoAttachments

/// Ends uploads together with their announcement (decision 80).
extension AnnouncementStore {
  /// Runs an operation that hides or deletes an announcement, and deletes the uploads for the announcement and its
  /// drafts. Uploads in a database are deleted in the operation's transaction. Uploads in a folder are deleted before
  /// it, because a failure must leave the announcement unchanged, and again after it, because another one may have
  /// begun meanwhile.
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

  /// Deletes the uploads that are stored in a database, which is only the case in PostgreSQL.
  static func deleteUploads(of id: String, _ t: Transaction) throws {
    guard t.dialect == .postgres else { return }
    try t.execute(
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
