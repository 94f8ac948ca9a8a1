import Foundation
import Glibc
import PhotoAttachments

/// What is kept of an upload beside its bytes, in `<token>.json`.
struct UploadRecord: Sendable, Equatable, Codable {
  /// Whose it is.
  var owner: String
  /// The name of the client it came from, by which open ones are counted.
  var client: String
  /// The whole file's size in bytes, or the most that it may have.
  var length: Int
  /// Whether `length` is the file's own.
  var hasLength: Bool
  /// As the client sent it.
  var fileName: String?
  /// When it was made, in whole milliseconds.
  var created: Date
  /// What became of it.
  var outcome: UploadOutcome?
  /// When that was known.
  var finished: Date?

  /// Reads a record; nil when it is damaged.
  init?(json: [UInt8]) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    guard let record = try? decoder.decode(Self.self, from: Data(json)),
      record.length >= 0, (record.outcome == nil) == (record.finished == nil)
    else { return nil }
    self = record
  }

  /// The record of a new upload.
  ///
  /// - Parameter length: nil while it is not known; then it is at most `most`.
  init(owner: String, client: String, length: Int?, most: Int, fileName: String?, created: Date) {
    self.owner = owner
    self.client = client
    self.length = length ?? most
    hasLength = length != nil
    self.fileName = fileName
    let milliseconds = (created.timeIntervalSince1970 * 1000).rounded(.down)
    self.created = Date(timeIntervalSince1970: milliseconds / 1000)
  }

  /// The record as it is written.
  func json() throws(UploadError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts, whole numbers and dates of this time can always be encoded.
    guard let data = try? encoder.encode(self) else { throw UploadError("encode", errno: EINVAL) }
    return [UInt8](data)
  }

  /// The upload that this is the record of.
  func upload(_ token: String, offset: Int, limits: UploadLimits) -> Upload {
    Upload(
      token: token, owner: owner, length: length, hasLength: hasLength, fileName: fileName,
      offset: offset, expires: created.addingTimeInterval(limits.life), outcome: outcome)
  }
}
