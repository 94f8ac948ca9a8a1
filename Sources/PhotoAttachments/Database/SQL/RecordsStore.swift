/// An open database of records, with the services that a process needs besides transactions.
package protocol RecordsStore: Sendable {
  var database: any RecordsDatabase { get }
  /// The processes that work on attempts.
  var workers: any WorkerRegistry { get }
  /// The watchers of drafts in this process.
  var watchers: AttachmentWatchers { get }
  /// A unique name of these records.
  var place: String { get }
  /// The origins that are recorded with paths of files on this machine, and with keys of objects.
  var origins: (files: String, objects: String) { get }
  /// See `Catalog.watch`.
  func watch(
    draft: String, _ receive: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void
  /// Returns the space of deleted rows to the disk. Every sweep calls this.
  func giveBackSpace() throws(StoreError)
  /// See `Catalog.checkIntegrity`.
  func checkIntegrity() throws(StoreError)
  /// Frees memory that only serves as a cache.
  func releaseMemory()
  /// See `Catalog.close`.
  func close() throws(StoreError)
}

extension RecordsStore {
  package func giveBackSpace() {}
  package func releaseMemory() {}
}
