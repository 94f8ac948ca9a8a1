package import ImageContainers

/// A size in which a photo is shown: at most 320, 640, 960, 1280 or 1920 pixels along its longer side.
package struct PhotoSize: Sendable, Hashable, Codable {
  /// The maximum length of a side in pixels, which identifies the size.
  package let maxSide: Int
  package let width: Int
  package let height: Int

  /// The values of `maxSide`.
  package static let maxSides = [320, 640, 960, 1280, 1920]
  /// The formats of each size. The one that produces smaller files comes first.
  package static let formats: [ImageFormat] = [.webp, .jpeg]

  /// Returns the sizes of a picture, the smallest first.
  ///
  /// If the picture has at most 1920 pixels along its longer side, the last size is the picture itself, with the next
  /// larger value of `maxSide`. Sizes above 0.9 of the last one are left out.
  ///
  /// - Parameters:
  ///   - width: the width in pixels as a person sees the picture, above zero.
  ///   - height: the height in pixels.
  package static func ladder(width: Int, height: Int) -> [PhotoSize] {
    let longer = max(width, height)
    let top = min(1920, longer)
    let name = maxSides.first { $0 >= top } ?? 1920
    let sides = maxSides.filter { $0 < name && 10 * $0 <= 9 * top }.map { ($0, $0) } + [(name, top)]
    return sides.map { maxSide, side in
      let scale = Double(side) / Double(longer)
      return PhotoSize(
        maxSide: maxSide, width: Self.scaled(width, by: scale),
        height: Self.scaled(height, by: scale))
    }
  }

  /// Scales a length, rounded and at least 1.
  static func scaled(_ length: Int, by scale: Double) -> Int {
    max(1, Int(Double(length) * scale + 0.5))
  }
}

/// A size in one of its formats.
package struct SizeForm: Sendable, Hashable, Codable {
  package let size: PhotoSize
  /// JPEG, without alpha, or WebP.
  package let format: ImageFormat

  /// The name that identifies the form among those of its photo.
  package var name: Name { Name(maxSide: size.maxSide, format: format) }

  /// Identifies a size of a photo in a format.
  package struct Name: Sendable, Hashable {
    /// The `maxSide` of the size.
    package let maxSide: Int
    /// JPEG or WebP.
    package let format: ImageFormat

    package init(maxSide: Int, format: ImageFormat) {
      self.maxSide = maxSide
      self.format = format
    }
  }

  package init(_ size: PhotoSize, _ format: ImageFormat) {
    self.size = size
    self.format = format
  }

  /// Returns the size that represents a photo in link previews and on its poster: at most 1280 pixels along the longer
  /// side, as a JPEG because every program supports it.
  package static func shared(width: Int, height: Int) -> SizeForm {
    let ladder = PhotoSize.ladder(width: width, height: height)
    return SizeForm(ladder.last { $0.maxSide <= sharedSide } ?? ladder[0], .jpeg)
  }

  /// The maximum length in pixels of the longer side of a picture in link previews.
  package static let sharedSide = 1280

  /// Returns all sizes of a picture in all formats.
  package static func all(width: Int, height: Int) -> [SizeForm] {
    PhotoSize.ladder(width: width, height: height).flatMap { size in
      PhotoSize.formats.map { SizeForm(size, $0) }
    }
  }
}
