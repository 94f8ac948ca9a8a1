import Announcements
import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion

/// A photo on a page: the URLs of its sizes, and its displayed width.
struct PictureView {
  /// The place on a page.
  enum Place {
    /// Cropped to a square as wide as its column (`.portrait` in petspot.css).
    case card
    /// Uncropped, at most as wide as its column and 36rem high (`.one .picture`).
    case page
  }

  /// The URL for clients that ignore `srcset`.
  let address: String
  /// The sizes in each format, as values of `srcset`.
  let webps, jpegs: String
  let sizes, text: String
  /// The dimensions of the photo in pixels.
  let width, height: Int

  /// Creates the view. Fails if the announcement has no photo.
  init?(_ announcement: Announcement, _ place: Place, text: String) {
    var shown = announcement.sizes
    guard let pixels = announcement.details.photoPixels, let smallest = shown.first?.form.size
    else { return nil }
    // A page never shows the photo as small as the smallest size. A card shows a square, for which a shorter side of
    // 720 pixels is always enough.
    if place == .page, shown.last?.form.size != smallest {
      shown.removeAll { $0.form.size == smallest }
    } else if place == .card {
      shown.removeAll {
        $0.form.size != smallest && min($0.form.size.width, $0.form.size.height) > 720
      }
    }
    func candidates(_ isWebP: Bool) -> [SizeLink] {
      shown.filter { ($0.form.format == .webp) == isWebP }
    }
    func list(_ isWebP: Bool) -> String {
      candidates(isWebP).map { "\($0.path) \($0.form.size.width)w" }.joined(separator: ", ")
    }
    webps = list(true)
    jpegs = list(false)
    address = (candidates(false).last { $0.form.size.maxSide <= 960 } ?? shown[0]).path
    sizes = Self.sizes(Double(pixels.width) / Double(pixels.height), place)
    self.text = text
    width = pixels.width
    height = pixels.height
  }

  /// Returns the displayed width, as a value of `sizes`.
  ///
  /// The width is exaggerated, because Chromium doesn't take the next larger candidate, but the one with the nearest
  /// ratio, which may be too small. With these factors and the existing sizes, it never is on the announcement's page.
  ///
  /// - Parameter ratio: the photo's width divided by its height.
  private static func sizes(_ ratio: Double, _ place: Place) -> String {
    switch place {
    case .card:
      // Cards may show a picture a fifth larger than it is. Nobody notices, and it saves two thirds of the bytes.
      let factor = max(1, ratio)
      return
        "(min-width: 976px) \(whole(236 * factor))px, (min-width: 736px) \(whole(31 * factor))vw, "
        + "\(whole(47 * factor))vw"
    case .page:
      let high = 576 * ratio
      return
        "(min-width: \(whole(min(768, high + 32)))px) \(whole(1.25 * min(484, high)))px, 115vw"
    }
  }

  private static func whole(_ number: Double) -> Int { max(1, Int(number.rounded(.up))) }
}

/// The picture of an announcement in link previews and on posters. It has at most 1280 pixels per side, and is a JPEG
/// because every program can read that.
struct SharedPicture {
  let address, type: String
  let width, height: Int
  let text: String

  /// - Parameter base: the start of the picture's URL.
  init(_ size: SizeLink, base: String = "", text: String) {
    address = base + size.path
    type = size.form.format.mime
    self.text = text
    width = size.form.size.width
    height = size.form.size.height
  }
}

extension Announcement {
  /// Returns the largest JPEG of the photo with at most `most` pixels on its longer side. `nil` if there is no photo.
  func largestSize(_ most: Int = .max) -> SizeLink? {
    sizes.last { $0.form.format == .jpeg && $0.form.size.maxSide <= most }
  }

  /// The size of the photo in link previews. `nil` if there is no photo.
  var sharedSize: SizeLink? { largestSize(SizeForm.sharedSide) }
}
