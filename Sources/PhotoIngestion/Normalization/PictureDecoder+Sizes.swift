import ImageContainers

extension PictureDecoder {
  /// Makes a size of a blob's first frame.
  ///
  /// - Parameters:
  ///   - form: a size from the blob's ladder, in its format.
  ///   - width: the width of the blob in pixels.
  ///   - height: the height of the blob in pixels.
  static func size(
    _ form: SizeForm, of blob: [UInt8], as format: ImageFormat, width: Int, height: Int,
    policy: PhotoPolicy
  ) throws -> [UInt8] {
    let size = form.size
    var facts = ImageFacts(format: format, storedWidth: width, storedHeight: height)
    facts.hasAlpha = true
    // A JPEG decoder that shrinks takes half the time. Let it shrink to no less than 1.5 times the size.
    let shrink = decoderShrink(facts, side: 3 * max(size.width, size.height) / 2)
    let picture: SmallPicture
    if format == .jpeg,
      let planes = try JPEGPlanes.scale(
        blob, width: width, height: height, shrink: shrink, to: size)
    {
      if form.format == .jpeg {
        return try encode(form) { quality in
          var encoder = try JPEGEncoder(
            width: size.width, height: size.height, quality: quality, subsampled: true,
            planes: planes.count)
          try encoder.add(planes: planes)
          return try encoder.finish()
        }
      }
      picture = JPEGPlanes.pixels(of: planes)
    } else {
      let first =
        format == .png ? try PNGContainer.firstFrame(of: blob, limits: policy.limits) : nil
      picture = try VipsPicture.reading(first?.png ?? blob, as: format, shrink: shrink) {
        picture in
        guard let first else {
          return try scale(picture, to: size, from: width / shrink, height / shrink)
        }
        let canvas = try picture.inSRGB(from: nil).onCanvas(of: facts, at: (first.left, first.top))
        return try scale(canvas, to: size, from: width, height)
      }
    }
    let shown = form.format == .jpeg ? picture.onWhite() : picture
    return try encode(form) { quality in
      try shown.pixels.span.withUnsafeBytes { pixels in
        try verifiable(
          VipsPicture.over(pixels, width: shown.width, height: shown.height, bands: shown.bands),
          as: form.format, quality: quality, subsampled: format == .jpeg || format == .webp)
      }
    }
  }

  private static func scale(
    _ picture: borrowing VipsPicture, to size: PhotoSize, from width: Int, _ height: Int
  ) throws -> SmallPicture {
    guard picture.width == width, picture.pageHeight == height else {
      throw PhotoError.fault(.size)
    }
    var scaler = SizeScaler(size, ofWidth: width, height: height, bands: picture.bands)
    try picture.forEachStrip(to: height) { rows, top, count, stride in
      for row in 0..<count { scaler.add(row: rows + row * stride) }
    }
    return scaler.picture.withoutIdleAlpha()
  }

  /// Encodes at the quality for the size. Lowers the quality and tries again while the result exceeds its byte budget.
  private static func encode(
    _ form: SizeForm, by encode: (_ quality: Int) throws -> [UInt8]
  ) throws -> [UInt8] {
    var (quality, budget) = SizeQuality.of(form)
    while true {
      let bytes = try encode(quality)
      if bytes.count <= budget || quality - 8 < SizeQuality.least { return bytes }
      quality -= 8
    }
  }
}

/// The encoding quality of sizes. Larger sizes are shown on denser screens, where each pixel matters less.
enum SizeQuality {
  /// The lowest quality of any size.
  static let least = 30

  /// Returns the initial quality, 1 to 100, and the maximum number of bytes.
  static func of(_ form: SizeForm) -> (quality: Int, budget: Int) {
    switch (form.size.maxSide, form.format) {
    case (320, .webp): (80, 22_000)
    // Twenty of them appear in a list, within 250 KB.
    case (640, .webp): (68, 12_400)
    case (960, .webp): (72, 120_000)
    case (1280, .webp): (68, 160_000)
    case (_, .webp): (62, 195_000)
    case (320, _), (640, _): (80, .max)
    case (960, _): (78, .max)
    // Messengers accept up to 300 KB for a link's picture.
    case (1280, _): (76, 290_000)
    default: (74, .max)
    }
  }
}
