/// The database of photo records, attachments and imported files.
///
/// Each change is one transaction. It is atomic, durable when the call returns, and then visible to every other
/// process. Calls block. If the outcome of a commit is unclear, it is determined before the call returns, so a call
/// that throws has changed nothing.
///
/// Two promises tie records to pictures (`BlobStorage`):
///
/// * **N: when a picture may be named.** `naming` gives a record's pictures their names or checks that they exist. It
///   runs once, after all checks, and other processes don't delete those pictures until they are on record. So a record
///   never refers to a missing picture.
/// * **D: when a picture may be deleted.** `deleting` is called only for pictures that no record refers to, and no
/// record can come to refer to them while it runs.
package struct Catalog: Sendable {
  package typealias Machine = AttachmentRecord.Machine

  /// The database, and the services of its process.
  package let store: any RecordsStore
  package var database: any RecordsDatabase { store.database }
  var workers: any WorkerRegistry { store.workers }
  var watchers: AttachmentWatchers { store.watchers }

  /// The note of the last photo's number, by which an outdated catalog is detected. `nil` for a copy.
  let notes: NewestPhotoNote?

  /// Creates a catalog over an open database.
  package init(_ store: any RecordsStore, notes: NewestPhotoNote? = nil) {
    self.store = store
    self.notes = notes
  }

  /// Calls `receive` with a draft's attachment now and after each change of its state, in commit order, until `receive`
  /// returns `false`. It receives every change of this catalog at once. Of changes by other processes, it receives the
  /// last one within a second.
  ///
  /// - Returns: a function that ends the watch.
  package func watch(
    draft: String, _ receive: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void {
    store.watch(draft: draft, receive)
  }

  /// Checks the integrity of the database.
  ///
  /// - Throws: `StoreError.database(.damaged)` with the first problem.
  package func checkIntegrity() throws(StoreError) { try store.checkIntegrity() }

  /// Closes the catalog's files and connections. Every later call fails.
  package func close() throws(StoreError) { try store.close() }

  // MARK: - Origins of files

  /// The origin of files on this machine, which is recorded beside their paths.
  var origin: String { store.origins.files }

  /// The origins of all files that this machine can read.
  package var origins: [String] { Set([store.origins.files, store.origins.objects]).sorted() }

  /// Returns the origin of a file by its path. Keys of objects aren't absolute paths, and have one origin for all
  /// machines.
  package func origin(of path: [UInt8]?) -> String {
    path?.first == UInt8(ascii: "/") ? store.origins.files : store.origins.objects
  }
}
