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

/// Remembers the photos that the newest thousand requests with an `Idempotency-Key` attached.
final class PhotoReplies: Sendable {
  private struct Reply {
    let digest: String
    let announcement: Announcement
    let photo: PhotoAttachmentMetadata?
  }

  private let replies = Mutex<(byKey: [String: Reply], keys: [String])>(([:], []))

  /// Returns the announcement and its photo as a request with this key left them; `nil` for a new key.
  ///
  /// - Parameter digest: of the photo as it was sent.
  /// - Throws: 422 if the key came with another photo.
  func reply(for key: String, digest: String) throws(ErrorResponse)
    -> (announcement: Announcement, photo: PhotoAttachmentMetadata?)?
  {
    guard let reply = replies.withLock({ $0.byKey[key] }) else { return nil }
    guard reply.digest == digest else {
      throw ErrorResponse(
        .unprocessableContent, "IDEMPOTENCY_MISMATCH",
        "This Idempotency-Key was already used with another photo. Send a new key.",
        field: "Idempotency-Key")
    }
    return (reply.announcement, reply.photo)
  }

  /// Remembers what a request with a key attached.
  func keep(
    _ announcement: Announcement, _ photo: PhotoAttachmentMetadata?, for key: String, digest: String
  ) {
    replies.withLock { replies in
      let reply = Reply(digest: digest, announcement: announcement, photo: photo)
      if replies.byKey.updateValue(reply, forKey: key) == nil { replies.keys.append(key) }
      if replies.keys.count > 1000 { replies.byKey[replies.keys.removeFirst()] = nil }
    }
  }
}
