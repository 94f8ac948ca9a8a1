import Announcements
import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion

/// A photo as a page shows it: addresses of its sizes, and how wide it will be.
struct PictureView {
  /// Where it is shown.
  enum Place {
    /// Cut to a square as wide as its column (`.portrait` in petspot.css).
    case card
    /// Whole, at most as wide as its column and 36rem high (`.one .picture`).
    case page
  }

  /// For what knows nothing of sizes.
  let address: String
  /// The sizes in each format, as `srcset` has them.
  let webps, jpegs: String
  let sizes, text: String
  /// Pixels of the photo.
  let width, height: Int

  /// Nil without a photo.
  init?(_ announcement: Announcement, _ place: Place, text: String) {
    var shown = announcement.sizes
    guard let pixels = announcement.details.photoPixels, let smallest = shown.first?.form.size
    else { return nil }
    // No page shows a whole photo that small, and no card a square that large.
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
    (webps, jpegs) = (list(true), list(false))
    address = (candidates(false).last { $0.form.size.maxSide <= 960 } ?? shown[0]).path
    sizes = Self.sizes(Double(pixels.width) / Double(pixels.height), place)
    self.text = text
    (width, height) = (pixels.width, pixels.height)
  }

  /// How wide the photo is, cut or not, in the words of `sizes`.
  ///
  /// More than it is: Chromium takes the nearest candidate in ratio, which may be too small, and not the
  /// next larger one. With these factors it never is by the ladder's steps.
  ///
  /// - Parameter ratio: its width by its height.
  private static func sizes(_ ratio: Double, _ place: Place) -> String {
    switch place {
    case .card:
      let factor = 1.42 * max(1, ratio)
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

/// The picture that stands for an announcement where its link is shown, and on its poster: at most 1280
/// pixels, in the format that everything takes.
struct SharedPicture {
  let address, type: String
  let width, height: Int
  let text: String

  /// - Parameter base: what its address begins with.
  init(_ size: SizeLink, base: String = "", text: String) {
    (address, type, self.text) = (base + size.path, size.form.format.mime, text)
    (width, height) = (size.form.size.width, size.form.size.height)
  }
}

extension Announcement {
  /// The largest size of its photo whose longer side has at most so many pixels, in the format that everything
  /// takes; nil without a photo.
  func largestSize(_ most: Int = .max) -> SizeLink? {
    sizes.last { $0.form.format == .jpeg && $0.form.size.maxSide <= most }
  }

  /// The size of its photo for those who follow its link; nil without a photo.
  var sharedSize: SizeLink? { largestSize(SizeForm.sharedSide) }
}
