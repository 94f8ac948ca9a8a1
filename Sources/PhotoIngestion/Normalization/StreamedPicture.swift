import ImageContainers

/// A HEIC that FFmpeg's decoder has painted on a canvas, with separate alpha.
struct StreamedPicture {
  private let colors: UprightCanvas
  /// One byte per pixel of the colors.
  private let alpha: [UInt8]?
  /// The colors that must still be converted, because their profile uses tables.
  private let source: SourceColors?

  /// Decodes a HEIC.
  ///
  /// - Parameters:
  ///   - streams: the streams of a cleaned HEIC.
  ///   - source: the colors of the values. `nil` if they are sRGB.
  /// - Returns: `nil` if the picture needs libheif.
  /// - Throws: `unsupportedFormat` if libheif would show the picture without its alpha.
  init?(
    _ streams: HEVCPicture.Streams, in bytes: [UInt8], facts: ImageFacts, source: SourceColors?,
    policy: PhotoPolicy
  ) throws {
    var color = streams.color
    color.orient(facts.orientationToApply)
    let conversion = source?.conversion(bitDepth: color.bitDepth)
    self.source = conversion == nil ? source : nil
    func decoded(
      _ picture: HEVCPicture, as product: HEVCDecoder.Product
    ) throws -> UprightCanvas? {
      try bytes.span.withUnsafeBytes { buffer in
        try HEVCDecoder.decode(picture, in: buffer, threads: policy.threadsPerPhoto, as: product)
      }
    }
    let isPremultiplied = streams.isPremultiplied
    // libvips applies profiles with tables, and gets no more than 8 bits here.
    guard self.source == nil || color.bitDepth == 8,
      var colors = try decoded(color, as: .colors(isPremultiplied ? nil : conversion)),
      case let alpha = try streams.alpha.flatMap({ try decoded($0, as: .luma) }),
      (alpha == nil) == (streams.alpha == nil)
    else {
      if streams.takesOurDecoder { throw PhotoError.unsupportedFormat(detected: "heif-alpha") }
      return nil
    }
    self.alpha = alpha?.samples(forWidth: colors.width, height: colors.height)
    if isPremultiplied, let alpha = self.alpha {
      colors.unmultiply(by: alpha, then: source?.conversion(bitDepth: 8))
    }
    self.colors = colors
  }

  /// The canvas, if the picture needs no further processing.
  var opaque: UprightCanvas? { alpha == nil && source == nil ? colors : nil }

  /// Passes the picture to `body` as a person sees it, in sRGB.
  func reading<Result>(
    _ body: (borrowing VipsPicture) throws -> Result
  ) throws -> Result {
    try colors.reading { colors in
      guard let source else { return try joined(colors, body) }
      return try joined(try colors.inSRGB(from: source).inMemory(), body)
    }
  }

  private func joined<Result>(
    _ colors: borrowing VipsPicture,
    _ body: (borrowing VipsPicture) throws -> Result
  ) throws -> Result {
    guard let alpha else { return try body(colors) }
    return try alpha.span.withUnsafeBytes { samples in
      let alpha = try VipsPicture.over(
        samples, width: colors.width, height: colors.height, bands: 1)
      return try body(try colors.joined(withAlpha: alpha))
    }
  }
}

extension UprightCanvas {
  /// Returns the gray of a picture in another size, scaled without smoothing as libheif scales alpha.
  fileprivate func samples(forWidth newWidth: Int, height newHeight: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: newWidth * newHeight) { samples, count in
      for y in 0..<newHeight {
        let row = y * height / newHeight * width
        for x in 0..<newWidth {
          samples[y * newWidth + x] = pixels[3 * (row + x * width / newWidth)]
        }
      }
      count = newWidth * newHeight
    }
  }

  /// Divides premultiplied colors by their alpha, then converts them.
  fileprivate mutating func unmultiply(
    by alpha: [UInt8], then conversion: (any ColorConversion)?
  ) {
    let count = width * height
    pixels.withUnsafeMutableBufferPointer { pixels in
      for place in 0..<count where alpha[place] > 0 && alpha[place] < 255 {
        let share = Int(alpha[place])
        for index in 3 * place..<3 * place + 3 {
          pixels[index] = UInt8(min(255, (Int(pixels[index]) * 255 + share / 2) / share))
        }
      }
      conversion?.convert(pixels.baseAddress!, count: count)
    }
  }
}
