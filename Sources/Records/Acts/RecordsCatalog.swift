package import PhotoAttachments

/// A catalog over a database: all its acts but the few that a database does in a way of its own are
/// written here, once.
package protocol RecordsCatalog: PhotoCatalog {
  var database: any RecordsDatabase { get }
  var owners: any Owners { get }
  var watchers: AttachmentWatchers { get }
  /// Names these records among all that there are.
  var place: String { get }
  /// The origins of files that this machine sees.
  var origins: [String] { get }
  /// The machine whose files are meant, beside their paths.
  var origin: String { get }
  /// The machine that a file of this path lies on.
  func origin(of path: [UInt8]?) -> String

  // MARK: - Reports

  /// Whether the tables of reports are known to be up to date.
  var areReportsReady: Bool { get }
  /// Makes the tables of reports, or brings them up to date. Every act on them does that first.
  ///
  /// - Throws: `StoreError.database`, with `newer-version` when a newer version of ours has changed
  ///   them, and `.busy`. The next act tries again.
  func prepareReports() throws(StoreError)
  /// Whether there is a table of drafts, of whatever version; asking makes none.
  func keepsReports() throws(StoreError) -> Bool
  /// Overwrites what was deleted and may still be read in a file.
  func forgetFreePages() async
}

extension RecordsCatalog {
  package var areReportsReady: Bool { true }
  package func prepareReports() throws(StoreError) {}
  package func keepsReports() throws(StoreError) -> Bool { true }
  package func forgetFreePages() async {}
}
