package import Foundation
package import PhotoIngestion

/// Stores the records and bytes of uploads for `UploadRules`, which passes only valid tokens. All calls
/// throw `UploadError`, or `StoreError` if the storage itself is unavailable.
package protocol UploadStorage: Sendable {
  /// Changes the places of uploads, for one caller at a time. If `record` is given, also inserts it as a new upload,
  /// which is durable when this returns.
  ///
  /// - Parameter change: reserves a place among the unfinished uploads and returns the tokens of uploads to delete.
  ///   Uploads in use are not deleted. The closure may run again from its beginning.
  func changePlaces(
    inserting record: UploadRecord?, of token: String,
    _ change: (inout UploadPlaces) throws -> [String]) throws

  /// Returns the record of an upload with its durable offset. First cuts off a request that is adding bytes. A request
  /// that holds the complete upload is not cut off.
  ///
  /// - Parameter check: throws if the caller may not read the record. In that case no request is cut off.
  /// - Throws: `.notFound`.
  func settle(
    _ token: String, _ check: (inout UploadRecord) throws -> Void
  ) throws -> UploadRecord

  /// Takes the lease of an upload, which is the right to change it, and cuts off the request that has it.
  ///
  /// - Parameter check: throws if the caller may not take it. The body may set `touched`, which is then recorded.
  /// - Returns: the record, read after all other writers were locked out, and the lease. The lease is `nil` if the
  ///   upload is finished or its bytes are gone.
  /// - Throws: `.notFound`; `.inUse` if a request holds the complete upload or another process is writing it.
  func acquireLease(
    _ token: String, _ check: (inout UploadRecord) throws -> Void
  ) throws -> (record: UploadRecord, lease: (any UploadLease)?)

  /// Deletes an upload unless it is in use.
  ///
  /// - Returns: `true` if it was deleted.
  @discardableResult func delete(_ token: String) throws -> Bool

  /// Deletes the bytes of an unfinished upload unless it is in use.
  ///
  /// - Returns: `true` if the upload had bytes.
  func deleteBytes(_ token: String) throws -> Bool

  /// Returns the records of all uploads and deletes old files that belong to no upload.
  func inventory(at now: Date, strayAge: TimeInterval) throws -> UploadInventory

  /// Returns the number of bytes received for unfinished uploads.
  func byteCount() throws -> Int
}

/// The right to change an upload, which only one request has at a time. After a newer request has taken it away, each
/// call throws `.cut`. Call `release` before dropping the last reference.
package protocol UploadLease: AnyObject, Sendable {
  /// Appends bytes to the upload. After a failure, no more bytes can be added.
  ///
  /// - Parameter now: the time at which the bytes arrived.
  func append(_ bytes: UnsafeRawBufferPointer, at now: Date) throws

  /// Makes the added bytes durable against SIGKILL and power loss. If the file is then complete, the lease is held:
  /// other requests get `.inUse` until `release` is called or the process dies.
  ///
  /// - Parameter length: the size of the whole file. `nil` if it is unknown.
  /// - Returns: the number of durable bytes.
  func sync(holdingAt length: Int?) throws -> Int

  /// Returns the whole file as the source of a photo. The file is readable as long as the source lives.
  func source(_ record: UploadRecord) throws -> PhotoSource

  /// Records the length and outcome of the upload. If there is an outcome, also deletes the bytes and ends the lease.
  /// After a failure the lease continues.
  func update(_ record: UploadRecord) throws

  /// Deletes the upload and ends the lease.
  func delete() throws

  /// Ends the lease. Syncs the bytes added so far if that is possible.
  func release()
}

/// The contents of an upload storage.
package struct UploadInventory {
  package var records: [String: UploadRecord] = [:]
  /// The number of uploads of which anything was deleted.
  package var deleted = 0
  /// The first failure to delete something.
  package var failure: (any Error)?

  package init() {}

  /// Runs a deletion and counts it if it returns `true`. Records a failure unless the upload was in use.
  package mutating func countDeletion(_ work: () throws -> Bool) {
    do {
      if try work() { deleted += 1 }
    } catch UploadError.inUse {
    } catch {
      failure = failure ?? error
    }
  }
}
