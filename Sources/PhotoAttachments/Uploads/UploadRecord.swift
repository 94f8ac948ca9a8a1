package import Foundation

/// What a storage records of an upload beside its bytes.
package struct UploadRecord: Sendable, Codable {
  /// Whose it is.
  package var owner: String
  /// The name of the client it came from, by which open ones are counted.
  package var client: String
  /// The whole file's size in bytes, or the most that it may have.
  package var length: Int
  /// Whether `length` is the file's own.
  package var hasLength: Bool
  /// As the client sent it.
  package var fileName: String?
  /// When it was created, in whole milliseconds.
  package var created: Date
  /// What became of it.
  package var outcome: UploadOutcome?
  /// When that was known.
  package var finished: Date?

  /// How many bytes are there and last, `length` once it is finished.
  package var offset = 0
  /// When bytes came last.
  package var touched = Date.distantPast

  /// What is written: offset and time of the last bytes are a storage's own matter.
  private enum CodingKeys: CodingKey {
    case owner, client, length, hasLength, fileName, created, outcome, finished
  }

  /// The record of a new upload.
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

  /// Whether all bytes are here.
  var isWhole: Bool { hasLength && offset == length }

  /// The upload that this is the record of.
  func upload(_ token: String, _ limits: UploadLimits) -> Upload {
    Upload(
      token: token, owner: owner, length: length, hasLength: hasLength, fileName: fileName,
      offset: offset, expires: created.addingTimeInterval(limits.life), outcome: outcome)
  }

  /// More bytes than have room: in a file of a known length, or in any.
  ///
  /// - Parameter count: how many came at once.
  func noRoom(for count: Int) -> UploadError {
    hasLength ? .pastLength : .tooLarge(limit: length, actual: max(count, length + 1))
  }
}

extension UploadLimits {
  /// Where an upload is in its life.
  enum Stage: Sendable {
    /// It can go on.
    case open
    /// What became of it is remembered.
    case finished
    /// Its time is over, and that is remembered.
    case expired
    /// It is forgotten.
    case over
  }

  /// Where an upload is in its life.
  func stage(of record: UploadRecord, at now: Date) -> Stage {
    if let finished = record.finished {
      return now < finished.addingTimeInterval(outcomeMemory) ? .finished : .over
    }
    let expires = record.created.addingTimeInterval(life)
    if now < expires { return .open }
    return now < expires.addingTimeInterval(expiredMemory) ? .expired : .over
  }

  /// When an upload gives up its place among the open ones unless more bytes come.
  func endOfPlace(of record: UploadRecord) -> Date {
    endOfPlace(created: record.created, touched: record.touched)
  }

  /// When an upload of these dates gives up its place.
  func endOfPlace(created: Date, touched: Date) -> Date {
    min(created.addingTimeInterval(life), touched.addingTimeInterval(idle))
  }
}
