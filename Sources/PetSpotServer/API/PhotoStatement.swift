import Announcements
import Foundation
import HTTPTypes
import Hashing
import HummingbirdCore
import Synchronization

extension HTTPField.Name {
  /// `Photo-State`: whether the photo was stored, `confirmed` or `refused`.
  static let photoState = Self("Photo-State")!
  /// `Photo-Losses`: what the stored photo lacks, a list of tokens.
  static let photoLosses = Self("Photo-Losses")!
  /// `Repr-Digest`: the digest of the stored photo (RFC 9530).
  static let reprDigest = Self("Repr-Digest")!
  /// `Idempotency-Key`: names a request that may be sent again.
  static let idempotencyKey = Self("Idempotency-Key")!

  /// The fields that state what became of a photo.
  static let photoStatement = [photoState, photoLosses, reprDigest]
}

extension Response {
  /// States in the head that a photo was stored, for clients that never see a body.
  mutating func state(_ photo: PhotoAttachmentMetadata) {
    headers[.photoState] = "confirmed"
    let digest = Data([UInt8](hexadecimal: photo.blob.sha256.utf8))
    headers[.reprDigest] = "sha-256=:\(digest.base64EncodedString()):"
    // A list without members is a field that isn't there (RFC 9651, 3.1).
    let losses = photo.normalization.losses
    headers[.photoLosses] = losses.isEmpty ? nil : losses.joined(separator: ", ")
  }
}

extension ErrorResponse {
  /// The answer, which also states in its head that the photo was refused.
  var statingRefusal: Self {
    var answer = self
    answer.headers[.photoState] = "refused"
    answer.headers[.uploadError] = code
    return answer
  }

  /// Does what a request with a photo asks for. Refusals that the same request would meet again are stated in the
  /// head.
  static func statingRefusals<Value>(_ work: () async throws -> Value) async throws -> Value {
    do { return try await work() } catch {
      guard let answer = ErrorResponse(cause: error),
        [400, 413, 415, 422].contains(answer.status.code)
      else { throw error }
      throw answer.statingRefusal
    }
  }
}

/// What answers to uploads with an `Idempotency-Key` stated, for a day. The newest thousand are remembered; an upload
/// that is sent again later replaces its photo by the same one.
final class PhotoReplies: Sendable {
  /// What was answered to a photo.
  struct Reply: Sendable {
    /// SHA-256 of the photo as it was sent.
    let digest: String
    /// The answer's fields.
    let fields: HTTPFields
    fileprivate let time = ContinuousClock.now
  }

  private let replies = Mutex<[String: Reply]>([:])

  /// The first answer to a key.
  ///
  /// - Throws: 422 if the key came with another photo.
  func reply(to key: String, digest: String) throws(ErrorResponse) -> Reply? {
    let reply = replies.withLock { $0[key] }
    guard let reply, ContinuousClock.now - reply.time < .seconds(86_400) else { return nil }
    guard reply.digest == digest else {
      throw ErrorResponse(
        .unprocessableContent, "IDEMPOTENCY_MISMATCH",
        "This Idempotency-Key was already used with another photo. Send a new key.",
        field: "Idempotency-Key")
    }
    return reply
  }

  /// Remembers an answer.
  func keep(_ response: Response, to key: String, digest: String) {
    var fields = HTTPFields()
    for name in [.location] + HTTPField.Name.photoStatement {
      fields[name] = response.headers[name]
    }
    replies.withLock { replies in
      replies[key] = Reply(digest: digest, fields: fields)
      guard replies.count > 1000, let oldest = replies.min(by: { $0.value.time < $1.value.time })
      else { return }
      replies[oldest.key] = nil
    }
  }
}
