package import Foundation

/// The data that a storage records about an upload in addition to its bytes.
package struct UploadRecord: Sendable, Codable {
  /// The draft or announcement that owns the upload.
  package var owner: String
  /// The name of the client that created the upload. Open uploads are counted per client.
  package var client: String
  /// The size of the whole file in bytes, or the largest size that is allowed.
  package var length: Int
  /// `true` if `length` is the actual size of the file.
  package var hasLength: Bool
  /// The file name as the client sent it.
  package var fileName: String?
  /// The time of creation in whole milliseconds.
  package var created: Date
  /// The result of the upload. `nil` while it is open.
  package var outcome: UploadOutcome?
  /// The time at which the outcome was recorded.
  package var finished: Date?

  /// The number of bytes that are stored durably. Equals `length` once the upload is finished.
  package var offset = 0
  /// The time at which the last bytes arrived.
  package var touched = Date.distantPast

  /// The fields that are encoded. Each storage keeps `offset` and `touched` in its own way.
  private enum CodingKeys: CodingKey {
    case owner, client, length, hasLength, fileName, created, outcome, finished
  }

  package init(
    owner: String, client: String, length: Int, hasLength: Bool, fileName: String?, created: Date
  ) {
    self.owner = owner
    self.client = client
    self.length = length
    self.hasLength = hasLength
    self.fileName = fileName
    self.created = Date(milliseconds: created.milliseconds)
    touched = self.created
  }

  /// `true` if all bytes have been received.
  var isWhole: Bool { hasLength && offset == length }

  /// Returns the upload that this record describes.
  func upload(_ token: String, _ limits: UploadLimits) -> Upload {
    Upload(
      token: token, owner: owner, length: length, hasLength: hasLength, fileName: fileName,
      offset: offset, expires: created.addingTimeInterval(limits.life), outcome: outcome)
  }

  /// Returns the error for more bytes than the upload has room for. It depends on whether the length of the file is
  /// known.
  ///
  /// - Parameter count: the number of bytes that arrived at once.
  func noRoom(for count: Int) -> UploadError {
    hasLength ? .pastLength : .tooLarge(limit: length, actual: max(count, length + 1))
  }
}

extension UploadLimits {
  /// The stage of an upload's life.
  enum Stage: Sendable {
    /// The client may continue the upload.
    case open
    /// The upload is finished and its outcome can still be queried.
    case finished
    /// The upload ran out of time and is still reported as expired.
    case expired
    /// The upload is no longer known to clients.
    case over
  }

  /// Returns the stage of an upload's life at a point in time.
  func stage(of record: UploadRecord, at now: Date) -> Stage {
    if let finished = record.finished {
      return now < finished.addingTimeInterval(outcomeMemory) ? .finished : .over
    }
    let expires = record.created.addingTimeInterval(life)
    if now < expires { return .open }
    return now < expires.addingTimeInterval(expiredMemory) ? .expired : .over
  }

  /// Returns the time at which an upload gives up its place among the open ones unless more bytes arrive.
  func endOfPlace(of record: UploadRecord) -> Date {
    endOfPlace(created: record.created, touched: record.touched)
  }

  /// Returns the time at which an upload with these dates gives up its place.
  func endOfPlace(created: Date, touched: Date) -> Date {
    min(created.addingTimeInterval(life), touched.addingTimeInterval(idle))
  }
}
