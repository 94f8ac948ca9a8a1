import Dispatch
package import Foundation
import Glibc
package import Logging
package import PhotoAttachments

/// The records and pictures of a cache folder. The pictures are files in it, or objects in a store. In that case, a
/// ledger (`ObjectLedger`) next to the catalog records which object contains each picture.
package struct FolderStores {
  package let catalog: Catalog
  package let blobs: any BlobStorage

  /// Opens the stores and creates missing parts.
  ///
  /// - Parameters:
  ///   - tables: the tables of the catalog besides those of photos.
  ///   - objects: the object store for pictures. If it is `nil`, they are in the folder.
  package init(
    _ folder: CacheFolder, tables: [TableGroup], objects: ObjectStore? = nil,
    busyTimeout: TimeInterval, logger: Logger
  ) throws(StoreError) {
    try folder.make()
    if objects == nil { try folder.claimPictures(for: "catalog.sqlite") }
    let worker = FolderWorker(folder: folder)
    var ledger: ObjectLedger?
    if let objects {
      ledger = try ObjectLedger(
        SQLiteDatabase.objects(worker, busyTimeout: busyTimeout, logger: logger), worker,
        of: objects.place)
    }
    let hasPictures = if let ledger { try ledger.hasPictures() } else { try folder.hasPictures() }
    if hasPictures, access(folder.catalog, F_OK) != 0 {
      logger.warning(
        "the catalog is gone and is made anew; pictures that are there are kept without a record",
        metadata: ["path": "\(folder.catalog)"])
    }
    try CacheFolder.secure(folder.catalog)
    catalog = Catalog(
      try SQLiteDatabase(
        worker, tables: tables, busyTimeout: busyTimeout, hasPictures: hasPictures,
        logger: logger),
      notes: NewestPhotoNote(in: folder))
    try catalog.checkAge(logger)
    blobs = ledger.flatMap { objects?.storage($0) } ?? FolderStorage(worker)
  }
}
