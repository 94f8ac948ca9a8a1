package import ImageContainers

/// A size in which a photo is shown: at most 320, 640, 960, 1280 or 1920 pixels along its longer side.
package struct PhotoSize: Sendable, Hashable, Codable {
  /// The number that names it; no side is longer.
  package let maxSide: Int
  /// Pixels across.
  package let width: Int
  /// Pixels down.
  package let height: Int

  /// The numbers that sizes are named by.
  package static let maxSides = [320, 640, 960, 1280, 1920]
  /// The formats that each size is made in, the smaller one first.
  package static let formats: [ImageFormat] = [.webp, .jpeg]

  /// Returns the sizes of a picture, the smallest first.
  ///
  /// The last one is the picture itself where that has at most 1920 pixels along its longer side, under
  /// the next larger number; those above 0.9 of it are left out.
  ///
  /// - Parameters:
  ///   - width: pixels across as a person sees the picture; above zero.
  ///   - height: pixels down.
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

  /// Scales a length, rounded and never to nothing.
  static func scaled(_ length: Int, by scale: Double) -> Int {
    max(1, Int(Double(length) * scale + 0.5))
  }
}

/// A size in one of its formats.
package struct SizeForm: Sendable, Hashable, Codable {
  /// Which size.
  package let size: PhotoSize
  /// JPEG, without alpha, or WebP.
  package let format: ImageFormat

  /// What names it beside its photo.
  package var name: Name { Name(maxSide: size.maxSide, format: format) }

  /// Names a size of a photo in a format.
  package struct Name: Sendable, Hashable {
    /// The number of the size.
    package let maxSide: Int
    /// JPEG or WebP.
    package let format: ImageFormat

    /// The name of a size in a format.
    package init(maxSide: Int, format: ImageFormat) {
      self.maxSide = maxSide
      self.format = format
    }
  }

  /// A size in a format.
  package init(_ size: PhotoSize, _ format: ImageFormat) {
    self.size = size
    self.format = format
  }

  /// What stands for a photo where its link is shown, and on its poster: at most 1280 pixels along the longer
  /// side, in the format that everything takes.
  package static func shared(width: Int, height: Int) -> SizeForm {
    let ladder = PhotoSize.ladder(width: width, height: height)
    return SizeForm(ladder.last { $0.maxSide <= sharedSide } ?? ladder[0], .jpeg)
  }

  /// The most pixels along the longer side of a picture that stands for its photo.
  package static let sharedSide = 1280

  /// Returns all sizes of a picture in all formats.
  package static func all(width: Int, height: Int) -> [SizeForm] {
    PhotoSize.ladder(width: width, height: height).flatMap { size in
      PhotoSize.formats.map { SizeForm(size, $0) }
    }
  }
}
