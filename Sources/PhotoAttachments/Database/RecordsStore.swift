/// An open database of records, with what a process needs beside its transactions.
package protocol RecordsStore: Sendable {
  var database: any RecordsDatabase { get }
  /// Who works on attempts.
  var workers: any WorkerRegistry { get }
  /// Those who watch drafts in this process.
  var watchers: AttachmentWatchers { get }
  /// Names these records among all that there are.
  var place: String { get }
  /// What stands beside the paths of files of this machine, and beside the keys of objects.
  var origins: (files: String, objects: String) { get }
  /// See `Catalog.watch`.
  func watch(
    draft: String, _ receive: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void
  /// Gives space that deleted rows had back to the disk, with every sweep.
  func giveBackSpace() throws(StoreError)
  /// See `Catalog.checkIntegrity`.
  func checkIntegrity() throws(StoreError)
  /// Gives up memory that is only held to be faster.
  func releaseMemory()
  /// See `Catalog.close`.
  func close() throws(StoreError)
}

extension RecordsStore {
  package func giveBackSpace() {}
  package func releaseMemory() {}
}
