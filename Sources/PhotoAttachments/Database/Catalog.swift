/// Records of photos, of what drafts show, and of imported files, and the state of every attachment, as
/// rows of a database.
///
/// What changes records is one transaction: it happens whole or not at all, is durable when it returns, and is
/// seen by every other process from then on. Calls block. A failure that leaves open whether a transaction
/// happened is cleared up first: what throws did not happen.
///
/// Two promises tie records to pictures (`BlobStorage`):
///
/// * **N, when a picture may be named.** `naming` runs once, after all checks, when no other process
///   deletes those pictures until they are on record. So no record ever points at nothing.
/// * **D, when a picture may be deleted.** `deleting` is called only for pictures that no record
///   refers to, and that none can come to refer to while it runs.
package struct Catalog: Sendable {
  package typealias Machine = AttachmentRecord.Machine

  /// The database, and what its process offers beside.
  package let store: any RecordsStore
  package var database: any RecordsDatabase { store.database }
  var workers: any WorkerRegistry { store.workers }
  var watchers: AttachmentWatchers { store.watchers }

  /// The notes of the last photo's number; `nil` for a copy.
  let notes: NewestPhotoNote?

  /// The catalog in a database that was opened.
  package init(_ store: any RecordsStore, notes: NewestPhotoNote? = nil) {
    self.store = store
    self.notes = notes
  }

  /// Calls `receive` with a draft's attachment now, and after each change of its state, in the order in
  /// which they happen, until it returns false. Changes through this catalog are passed on each and at
  /// once; of those by other processes the last one within a second.
  ///
  /// - Returns: ends it.
  package func watch(
    draft: String, _ receive: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void {
    store.watch(draft: draft, receive)
  }

  /// Proves the catalog's own storage.
  ///
  /// - Throws: `StoreError.database(.damaged)` with the first finding.
  package func checkIntegrity() throws(StoreError) { try store.checkIntegrity() }

  /// Lets go of the catalog's files and connections; every later call fails.
  package func close() throws(StoreError) { try store.close() }

  // MARK: - Whose files

  /// The machine whose files are meant, beside their paths.
  var origin: String { store.origins.files }

  /// The origins of files that this machine sees.
  package var origins: [String] { Set([store.origins.files, store.origins.objects]).sorted() }

  /// The machine that a file of this path lies on. Objects, whose keys are no absolute paths, are the
  /// same from everywhere.
  package func origin(of path: [UInt8]?) -> String {
    path?.first == UInt8(ascii: "/") ? store.origins.files : store.origins.objects
  }
}
