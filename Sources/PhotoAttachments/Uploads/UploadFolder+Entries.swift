import CDispatch  // this module declares `stat`
package import Foundation
import Glibc

extension UploadFolder {
  /// Returns the files in the folder whose names this server creates. Empty if the folder does not exist.
  package func entries() throws -> [Entry] {
    let url = URL(filePath: path)
    return try CacheFolder(path: url.deletingLastPathComponent().path)
      .entries(of: url.lastPathComponent).compactMap { Entry(name: $0) }
  }

  /// A file in the folder, as its name describes it.
  package struct Entry: Hashable {
    package enum Kind {
      /// `newRecord` is a record that is being written, before it gets its final name.
      case data, record, newRecord

      /// The part of the file name after the token.
      var suffix: String {
        switch self {
        case .data: ""
        case .record: ".json"
        case .newRecord: ".json.new"
        }
      }
    }
    package var kind: Kind
    /// The token of the upload that the file belongs to.
    package var token: String

    /// Parses a file name. `nil` if this server does not create such names.
    init?(name: String) {
      token = String(name.prefix(32))
      guard UploadToken.isToken(token) else { return nil }
      switch name.dropFirst(32) {
      case "": kind = .data
      case Kind.record.suffix: kind = .record
      case Kind.newRecord.suffix: kind = .newRecord
      default: return nil
      }
    }

    /// Creates the entry for a file of an upload. `nil` if the text is not a token.
    package init?(_ kind: Kind, _ token: String) {
      guard UploadToken.isToken(token) else { return nil }
      self.kind = kind
      self.token = token
    }

    package var name: String { token + kind.suffix }
  }

  /// Returns the time of the file's last modification. `nil` if the file is missing or not a regular file.
  package func modified(_ entry: Entry) throws(StoreError) -> Date? {
    let path = path + "/" + entry.name
    guard let status = try SystemCalls.status(path, path: path), status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))
  }
}
