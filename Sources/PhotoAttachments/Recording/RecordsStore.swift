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
  /// Whether there are tables of reports; of whatever version, unless they are made or brought up to
  /// date by this, as before every act on them.
  ///
  /// - Throws: `StoreError.database`, with `newer-version` when a newer version has changed them, and
  ///   `.busy`. The next act tries again.
  func hasReports(making: Bool) throws(StoreError) -> Bool
  /// Overwrites what was deleted and may still be read in a file.
  func forgetFreePages() async
  /// See `Catalog.checkIntegrity`.
  func checkIntegrity() throws(StoreError)
  /// Gives up memory that is only held to be faster.
  func releaseMemory()
  /// See `Catalog.close`.
  func close() throws(StoreError)
}

extension RecordsStore {
  package func forgetFreePages() async {}
  package func releaseMemory() {}
}
