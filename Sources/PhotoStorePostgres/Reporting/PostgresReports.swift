package import PhotoAttachments

/// The tables of drafts and announcements, in the database that photos are recorded in.
package struct PostgresReports: Sendable {
  let photos: PhotoAttachmentCache
  let catalog: PostgresCatalog

  /// The reports beside `photos`, which are recorded in `catalog`.
  package init(_ photos: PhotoAttachmentCache, in catalog: PostgresCatalog) {
    (self.photos, self.catalog) = (photos, catalog)
  }

  var database: PostgresDatabase { catalog.server }
}
