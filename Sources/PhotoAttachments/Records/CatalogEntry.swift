package import Foundation

/// An entry of a catalog beside the photos themselves.
package enum CatalogEntry: Sendable, Hashable {
  /// What a draft shows.
  case attachment(draft: String)
  /// A photo's membership in the library.
  case library(photo: String)
  /// What is known of a file that was imported.
  case source(path: Data)
  /// The library photo that an attachment says it was picked from.
  case asset(photo: String)
  /// A photo that an announcement, or another table in the same database, refers to.
  case other(photo: String)
}

/// An entry that points at nothing, or that is not as it was written.
package struct EntryDamage: Sendable, Equatable {
  package var entry: CatalogEntry
  package var photo: String?
  /// `reference` when that is not there, else `record`.
  package var problem: StoreProblem

  package init(_ entry: CatalogEntry, photo: String?, isDangling: Bool) {
    self.entry = entry
    self.photo = photo
    problem = isDangling ? .reference : .record
  }
}

/// A file that an import noted as the original of a photo, or as equal to it.
package struct NotedOriginal: Sendable, Equatable {
  /// Absolute path, any bytes.
  package var path: [UInt8]
  package var sha256: String?
  /// Whether it is the file that the photo was made from.
  package var isSource: Bool

  package init(path: [UInt8], sha256: String?, isSource: Bool) {
    self.path = path
    self.sha256 = sha256
    self.isSource = isSource
  }
}
