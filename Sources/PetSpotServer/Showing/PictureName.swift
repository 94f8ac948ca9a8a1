import Foundation

/// The name of a picture in addresses: its photo's random number, which tells nothing.
struct PictureName: Equatable, Sendable {
  let photo: UUID
  let isPreview: Bool

  init(photo: UUID, isPreview: Bool) { (self.photo, self.isPreview) = (photo, isPreview) }

  /// Nil for any other form.
  init?(_ text: String) {
    let suffix = "-preview"
    let isPreview = text.hasSuffix(suffix)
    let id = isPreview ? String(text.dropLast(suffix.count)) : text
    guard let photo = UUID(uuidString: id), id == id.lowercased() else { return nil }
    self.init(photo: photo, isPreview: isPreview)
  }

  /// As it stands in an address.
  var text: String { photo.uuidString.lowercased() + (isPreview ? "-preview" : "") }
}
