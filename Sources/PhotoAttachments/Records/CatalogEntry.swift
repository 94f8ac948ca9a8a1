package import Foundation

/// An entry in a catalog other than a photo, as verification and repair refer to it.
package enum CatalogEntry: Sendable, Hashable {
  /// The attachment of a draft.
  case attachment(draft: String)
  /// A photo's membership in the library.
  case library(photo: String)
  /// The record of an imported file.
  case source(path: Data)
  /// The reference from an attachment to the library photo that it was picked from.
  case asset(photo: String)
  /// A photo that an announcement or another table in the same database refers to.
  case other(photo: String)
}

/// An entry that refers to a missing photo or was altered after it was written.
package struct EntryDamage: Sendable, Equatable {
  package var entry: CatalogEntry
  package var photo: String?
  /// `reference` if the photo is missing, otherwise `record`.
  package var problem: StoreProblem

  package init(_ entry: CatalogEntry, photo: String?, isDangling: Bool) {
    self.entry = entry
    self.photo = photo
    problem = isDangling ? .reference : .record
  }
}

/// A file that an import recorded as the original of a photo or as equal to it.
package struct NotedOriginal: Sendable, Equatable {
  /// The absolute path, which may contain any bytes.
  package var path: [UInt8]
  package var sha256: String?
  /// `true` if the photo was made from this file.
  package var isSource: Bool

  package init(path: [UInt8], sha256: String?, isSource: Bool) {
    self.path = path
    self.sha256 = sha256
    self.isSource = isSource
  }
}
