import PhotoAttachments

/// The file that marks a folder of backups. `BackupFolder` writes only to marked or empty folders, and `Stores.open`
/// rejects marked ones.
enum BackupMarker {
  static let name = "petspot-backup"

  /// Returns `true` if a folder is marked.
  ///
  /// - Throws: `StoreError.storage` if that can't be checked.
  static func isIn(_ folder: CacheFolder) throws(StoreError) -> Bool {
    let marker = folder.path + "/" + name
    return try SystemCalls.status(marker, path: marker) != nil
  }
}
