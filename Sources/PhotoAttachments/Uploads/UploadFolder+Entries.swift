import CDispatch  // where this module finds `stat`
package import Foundation
import Glibc

extension UploadFolder {
  /// What lies here, without names that this server didn't make; nothing when there is no folder.
  package func entries() throws -> [Entry] {
    let url = URL(filePath: path)
    return try CacheFolder(path: url.deletingLastPathComponent().path)
      .entries(of: url.lastPathComponent).compactMap { Entry(name: $0) }
  }

  /// A file of this server.
  package struct Entry: Hashable {
    /// What a file is.
    package enum Kind {
      case data, record, newRecord

      /// What stands behind the token in its name.
      var suffix: String {
        switch self {
        case .data: ""
        case .record: ".json"
        case .newRecord: ".json.new"
        }
      }
    }
    /// What it is.
    package var kind: Kind
    /// Whose.
    package var token: String

    /// Reads a file's name; nil when this server didn't make it.
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

    /// A file of an upload; nil when that is no token.
    package init?(_ kind: Kind, _ token: String) {
      guard UploadToken.isToken(token) else { return nil }
      (self.kind, self.token) = (kind, token)
    }

    /// Its name.
    package var name: String { token + kind.suffix }
  }

  /// When a file was last written; `nil` if it is gone, or something else than a file has its name.
  package func modified(_ entry: Entry) throws(StoreError) -> Date? {
    let path = path + "/" + entry.name
    guard let status = try SystemCalls.status(path, path: path), status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))
  }
}
