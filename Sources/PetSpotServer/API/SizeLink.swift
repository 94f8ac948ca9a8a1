import Announcements
import PhotoAttachments
import PhotoIngestion

/// A size of a photo, and where it is.
struct SizeLink {
  let form: SizeForm
  /// Without what addresses begin with.
  let path: String
}

extension Announcement {
  /// The sizes of its photo, the smallest first; none without one.
  var sizes: [SizeLink] {
    guard let photo = details.photoID, let pixels = details.photoPixels else { return [] }
    return SizeForm.all(width: pixels.width, height: pixels.height).map { form in
      SizeLink(
        form: form, path: "/images/" + PictureName(photo: photo, .size(form.name)).text)
    }
  }
}
