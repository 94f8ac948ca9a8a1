import Announcements
import HTTPTypes
import PhotoModel
import PhotoUploads
import Synchronization

extension HTTPField.Name {
  /// `Idempotency-Key`: identifies a request that may be repeated.
  static let idempotencyKey = Self("Idempotency-Key")!
}

extension ErrorResponse {
  /// The response with headers that mark the photo as rejected.
  var markingPhotoRefused: Self {
    var answer = self
    answer.headers = HTTPFailure(self).markingPhotoRefused.headers
    return answer
  }

  /// Handles a request with a photo. If it fails and would fail again unchanged, the response has headers that mark the
  /// photo as rejected.
  static func statingRefusals<Value>(_ work: () async throws -> Value) async throws -> Value {
    do { return try await work() } catch {
      guard let answer = ErrorResponse(cause: error), answer.status.refusesPhoto else {
        throw error
      }
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
