package import Foundation
package import PhotoIngestion

/// Keeps the records and bytes of uploads, for `UploadRules`, which ask for nothing but tokens. All calls
/// throw `UploadError`, or `StoreError` when the storage itself cannot be used.
package protocol UploadStorage: Sendable {
  /// Lets uploads change places, for one caller at a time. With a record, inserts it as a new upload,
  /// which lasts when this returns.
  ///
  /// - Parameter change: reserves a place for the upload among the unfinished ones and returns those
  ///   that have to be deleted; what is in use of them stays. It may run again from its beginning.
  func changePlaces(
    inserting record: UploadRecord?, of token: String,
    _ change: (inout UploadPlaces) throws -> [String]) throws

  /// Reads an upload's record, with the offset that lasts. A request that adds bytes is cut before, one
  /// that holds all of them is not.
  ///
  /// - Parameter check: throws when it may not be read; then nothing is cut.
  /// - Throws: `.notFound`.
  func settle(
    _ token: String, _ check: (inout UploadRecord) throws -> Void
  ) throws -> UploadRecord

  /// Takes the turn at an upload, cutting the request that has it.
  ///
  /// - Parameter check: throws when it may not be taken, and sets `touched`, which is recorded.
  /// - Returns: its record as it is now that nobody else can change it, and the turn; nil when it is
  ///   finished, or its bytes are gone.
  /// - Throws: `.notFound`; `.inUse` when a request holds all of its bytes, or another process writes
  ///   it.
  func take(
    _ token: String, _ check: (inout UploadRecord) throws -> Void
  ) throws -> (record: UploadRecord, turn: (any UploadTurn)?)

  /// Deletes an upload, unless it is in use.
  ///
  /// - Returns: whether it was deleted.
  @discardableResult func delete(_ token: String) throws -> Bool

  /// Deletes the bytes of an unfinished upload, unless it is in use.
  ///
  /// - Returns: whether there were any.
  func deleteBytes(_ token: String) throws -> Bool

  /// Lists the records of all uploads, and deletes what belongs to none once it is old.
  func inventory(at now: Date, strayAge: TimeInterval) throws -> UploadInventory

  /// Returns how many bytes unfinished uploads have received.
  func byteCount() throws -> Int
}

/// The right to change an upload, which one request has at a time. After a newer request has taken it
/// away, each call throws `.cut`. The last reference must not go before `release`.
package protocol UploadTurn: AnyObject, Sendable {
  /// Adds bytes behind those that are there. After a failure no more are added.
  ///
  /// - Parameter now: when they came.
  func append(_ bytes: UnsafeRawBufferPointer, at now: Date) throws

  /// Makes what was added survive SIGKILL and power loss. When that are so many bytes as the whole file
  /// has, the turn stays: others meet `.inUse` until `release`, or until its process dies.
  ///
  /// - Parameter length: of the whole file, nil while it is not known.
  /// - Returns: how many bytes last.
  func sync(holdingAt length: Int?) throws -> Int

  /// Returns the whole file as a photo's source, readable while that lives.
  func source(_ record: UploadRecord) throws -> PhotoSource

  /// Records the upload's length and outcome. With an outcome its bytes are deleted and the turn ends;
  /// after a failure it goes on.
  func update(_ record: UploadRecord) throws

  /// Deletes the upload, and ends the turn.
  func delete() throws

  /// Ends the turn; what was added and not synced is synced if that is possible.
  func release()
}

/// What a storage has.
package struct UploadInventory {
  /// The records, by token.
  package var records: [String: UploadRecord] = [:]
  /// Of how many uploads something was deleted.
  package var deleted = 0
  /// The first failure to delete something.
  package var failure: (any Error)?

  /// Of an empty storage.
  package init() {}

  /// Counts one whose work says that it deleted something, and notes a failure, unless it was in use.
  package mutating func note(_ work: () throws -> Bool) {
    do {
      if try work() { deleted += 1 }
    } catch UploadError.inUse {
    } catch {
      failure = failure ?? error
    }
  }
}
