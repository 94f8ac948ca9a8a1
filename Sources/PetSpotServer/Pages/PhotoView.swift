import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// What only step 2 shows.
struct PhotoView {
  let status: String
  let isLoading: Bool
  let card: CardView?
  /// Why there is no photo, or why the last one was not taken.
  let problem: String?
  let helper: String?
  /// What the drop zone says of formats and size.
  let types: String
  let limit: Int
  let browse: String
  /// What the script says of its own: what stands before a title, and that a file is too large.
  let errorPrefix, tooLarge: String
}

/// The confirmation card (seed 028).
struct CardView: Sendable, Encodable {
  let name, size, dimensions, ready, preview: String
  /// What else was done to the photo.
  let changes: String?
  let width, height: Int

  init(_ photo: PhotoAttachmentMetadata, in words: Words) {
    let card = PhotoConfirmationCard(photo, in: words)
    name = ReadableText.escaped(card.fileName)
    size = card.sizeText
    dimensions = card.dimensionsText
    (ready, changes) = (photo.ready(in: words), photo.otherChanges(in: words))
    // Another photo has another address, so that no browser shows the former one.
    preview = "/report/photo/preview?v=" + photo.preview.sha256.prefix(12)
    (width, height) = (photo.preview.pixelWidth, photo.preview.pixelHeight)
  }
}

/// `{"status","photo"?,"failure"?}` of the contract, and what a page shows of it.
struct PhotoStatusResponse: Sendable, Encodable {
  let status: String
  let photo: ShownPhoto?
  /// The code of why the last attempt ended without a photo.
  let failure: String?
  /// The same in the reader's words.
  let message: String?

  /// The photo by the names of seed 028, and its card.
  struct ShownPhoto: Sendable, Encodable {
    let id, fileName, uti: String
    let fileSizeBytes, pixelWidth, pixelHeight: Int
    let savedAt: String
    let card: CardView
  }

  init(_ status: PhotoAttachmentStatus, failure: String?, in words: Words) {
    switch status {
    case .empty: (self.status, photo) = ("empty", nil)
    case .loading: (self.status, photo) = ("loading", nil)
    case .confirmed(let photo):
      self.status = "confirmed"
      self.photo = ShownPhoto(
        id: photo.id.uuidString, fileName: photo.fileName, uti: photo.uti,
        fileSizeBytes: photo.fileSizeBytes, pixelWidth: photo.pixelWidth,
        pixelHeight: photo.pixelHeight,
        savedAt: photo.savedAt.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
        card: CardView(photo, in: words))
    }
    // An attempt that was given up for another, or by its maker, is nothing to tell.
    let shown = failure == PhotoError.cancelled.code ? nil : failure
    (self.failure, message) = (shown, shown.map { Self.message(of: $0, in: words) })
  }

  /// The record keeps the code of a failure only.
  private static func message(of code: String, in words: Words) -> String {
    switch code {
    case PhotoError.empty.code, PhotoError.corrupt(what: "").code: words("failure.photoDamaged")
    case PhotoError.timeout(seconds: 0).code: words("failure.photoTimeout")
    case StoreError.busy(seconds: 0).code, "shortage": words("failure.busy")
    case "storage-full": words("error.full")
    default: words("photo.lastFailed")
    }
  }
}
