package import PhotoAttachments

/// A catalog over a database: all its acts but the few that a database does in a way of its own are
/// written here, once.
package protocol RecordsCatalog: PhotoCatalog {
  var database: any RecordsDatabase { get }
  var owners: any Owners { get }
  var watchers: AttachmentWatchers { get }
  /// The machine whose files are meant, beside their paths.
  var origin: String { get }
  /// The machine that a file of this path lies on.
  func origin(of path: [UInt8]?) -> String
}
