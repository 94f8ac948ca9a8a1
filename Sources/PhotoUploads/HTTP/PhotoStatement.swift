import Foundation
package import HTTPTypes
import Hashing
package import HummingbirdCore
package import PhotoModel

extension HTTPField.Name {
  /// `Photo-State`: `confirmed` if the photo was stored, `refused` if it was rejected.
  package static let photoState = Self("Photo-State")!
  /// `Photo-Losses`: a list of tokens for the losses of the stored photo.
  package static let photoLosses = Self("Photo-Losses")!
  /// `Repr-Digest`: the digest of the stored photo (RFC 9530).
  package static let reprDigest = Self("Repr-Digest")!
  /// `Upload-Error`: why a photo was refused.
  package static let uploadError = Self("Upload-Error")!
}

extension Response {
  /// Adds headers about a stored photo, for clients that can't read the body.
  package mutating func state(_ photo: PhotoAttachmentMetadata) {
    headers[.photoState] = "confirmed"
    let digest = Data([UInt8](hexadecimal: photo.blob.sha256.utf8))
    headers[.reprDigest] = "sha-256=:\(digest.base64EncodedString()):"
    // An empty list is represented by a missing field (RFC 9651, 3.1).
    let losses = photo.normalization.losses
    headers[.photoLosses] = losses.isEmpty ? nil : losses.joined(separator: ", ")
  }
}

extension HTTPResponse.Status {
  /// `true` if a photo that was sent with the request would be refused again.
  package var refusesPhoto: Bool { [400, 413, 415, 422].contains(code) }
}

extension HTTPFailure {
  /// The response with headers that mark the photo as rejected.
  package var markingPhotoRefused: Self {
    var failure = self
    failure.headers[.photoState] = "refused"
    failure.headers[.uploadError] = code
    return failure
  }
}
