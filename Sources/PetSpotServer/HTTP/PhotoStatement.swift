import Announcements
import Foundation
import HTTPTypes
import Hashing
import HummingbirdCore
import PhotoModel
import Synchronization

extension HTTPField.Name {
  /// `Photo-State`: `confirmed` if the photo was stored, `refused` if it was rejected.
  static let photoState = Self("Photo-State")!
  /// `Photo-Losses`: a list of tokens for the losses of the stored photo.
  static let photoLosses = Self("Photo-Losses")!
  /// `Repr-Digest`: the digest of the stored photo (RFC 9530).
  static let reprDigest = Self("Repr-Digest")!
  /// `Idempotency-Key`: identifies a request that may be repeated.
  static let idempotencyKey = Self("Idempotency-Key")!
}

extension Response {
  /// Adds headers about a stored photo, for clients that can't read the body.
  mutating func state(_ photo: PhotoAttachmentMetadata) {
    headers[.photoState] = "confirmed"
    let digest = Data([UInt8](hexadecimal: photo.blob.sha256.utf8))
    headers[.reprDigest] = "sha-256=:\(digest.base64EncodedString()):"
    // An empty list is represented by a missing field (RFC 9651, 3.1).
    let losses = photo.normalization.losses
    headers[.photoLosses] = losses.isEmpty ? nil : losses.joined(separator: ", ")
  }
}

extension ErrorResponse {
  /// The response with headers that mark the photo as rejected.
  var markingPhotoRefused: Self {
    var answer = self
    answer.headers[.photoState] = "refused"
    answer.headers[.uploadError] = cause.code
    return answer
  }

  /// Handles a request with a photo. If it fails and would fail again unchanged, the response has headers that mark the
  /// photo as rejected.
  static func statingRefusals<Value>(_ work: () async throws -> Value) async throws -> Value {
    do { return try await work() } catch {
      guard let answer = ErrorResponse(cause: error),
        [400, 413, 415, 422].contains(answer.status.code)
      else { throw error }
      throw answer.markingPhotoRefused
    }
  }
}

/// The results of the last thousand requests with an `Idempotency-Key` that attached a photo.
final class PhotoReplies: Sendable {
  private struct Reply {
    let digest: String
    let announcement: Announcement
    let photo: PhotoAttachmentMetadata?
  }

  private let replies = Mutex<(byKey: [String: Reply], keys: [String])>(([:], []))

  /// Returns the announcement and its photo after the request with this key, or `nil` for a new key.
  ///
  /// - Parameter digest: the digest of the photo as sent.
  /// - Throws: 422 if the key was used with a different photo.
  func reply(for key: String, digest: String) throws(ErrorResponse)
    -> (announcement: Announcement, photo: PhotoAttachmentMetadata?)?
  {
    guard let reply = replies.withLock({ $0.byKey[key] }) else { return nil }
    guard reply.digest == digest else {
      throw ErrorResponse(
        .idempotencyMismatch,
        "This Idempotency-Key was already used with another photo. Send a new key.",
        field: "Idempotency-Key")
    }
    return (reply.announcement, reply.photo)
  }

  /// Stores the result of a request with a key.
  func storeReply(
    _ announcement: Announcement, _ photo: PhotoAttachmentMetadata?, for key: String, digest: String
  ) {
    replies.withLock { replies in
      let reply = Reply(digest: digest, announcement: announcement, photo: photo)
      if replies.byKey.updateValue(reply, forKey: key) == nil { replies.keys.append(key) }
      if replies.keys.count > 1000 { replies.byKey[replies.keys.removeFirst()] = nil }
    }
  }
}
