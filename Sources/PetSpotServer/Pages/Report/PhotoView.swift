import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The data that only step 2 has.
struct PhotoView {
  let status: String
  let isLoading: Bool
  let card: CardView?
  /// The reason why there is no photo, or why the last one was refused.
  let problem: String?
  let helper: String?
  /// The drop zone's text about formats and size.
  let types: String
  let limit: Int
  let browse: String
  /// Texts for the script: the prefix of a page title with errors, and the error for a file that is too large.
  let errorPrefix, tooLarge: String
}

/// The confirmation card (seed 028).
struct CardView: Sendable, Encodable {
  let name, size, dimensions, ready, preview: String
  /// Other changes that were made to the photo.
  let changes: String?
  /// The hint that the photo is too small for anyone to recognize the pet.
  let small: String?
  let width, height: Int

  init(_ photo: PhotoAttachmentMetadata, in words: Words) {
    let card = PhotoConfirmationCard(photo, in: words)
    name = ReadableText.escaped(card.fileName)
    size = card.sizeText
    dimensions = card.dimensionsText
    ready = photo.ready(in: words)
    changes = photo.otherChanges(in: words)
    let isSmall = min(photo.pixelWidth, photo.pixelHeight) < 300
    small = isSmall ? words("photo.small") : nil
    // Each photo has its own URL, so that browsers don't show the previous one.
    preview = "/report/photo/preview?v=" + photo.preview.sha256.prefix(12)
    width = photo.preview.pixelWidth
    height = photo.preview.pixelHeight
  }
}

/// The JSON of `GET /report/photo/status`, `{"status","photo"?,"failure"?}`, and the text that a page shows for it.
struct PhotoStatusResponse: Sendable, Encodable {
  let status: String
  let photo: ShownPhoto?
  /// The code of the failure that ended the last attempt.
  let failure: String?
  /// The failure in the reader's language.
  let message: String?

  /// The photo with the names of seed 028, and its card.
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
    // The visitor doesn't need to see an attempt that was canceled or replaced by another one.
    let shown = failure == PhotoError.cancelled.code ? nil : failure
    self.failure = shown
    message = shown.map { Self.message(of: $0, in: words) }
  }

  /// Returns the text for a failure's code. The record contains nothing else.
  private static func message(of code: String, in words: Words) -> String {
    switch code {
    case PhotoError.empty.code, PhotoError.corrupt(what: "").code: words("failure.corrupt")
    case PhotoError.timeout(seconds: 0).code: words("failure.timeout")
    case StoreError.busy(seconds: 0).code, "shortage": words("failure.busy")
    case "storage-full": words("error.full")
    default: words("photo.lastFailed")
    }
  }
}
