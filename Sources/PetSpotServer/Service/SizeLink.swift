import Announcements
import PhotoAttachments
import PhotoIngestion

/// A size (a scaled copy) of a photo, and the path at which clients can request it.
struct SizeLink {
  let form: SizeForm
  /// The path without scheme and host.
  let path: String
}

extension Announcement {
  /// The sizes of the announcement's photo, the smallest first. Empty without a photo.
  var sizes: [SizeLink] {
    guard let photo = details.photoID, let pixels = details.photoPixels else { return [] }
    return SizeForm.all(width: pixels.width, height: pixels.height).map { form in
      SizeLink(
        form: form, path: "/images/" + PictureName(photo: photo, .size(form.name)).text)
    }
  }
}
