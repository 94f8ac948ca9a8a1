import ImageContainers

/// A HEIC that FFmpeg's decoder has put on a canvas, alpha apart.
struct StreamedPicture {
  private let colors: UprightCanvas
  /// As gray.
  private let alpha: UprightCanvas?
  /// What the colors are still to be converted from: a profile of tables.
  private let source: SourceColors?

  /// Decodes.
  ///
  /// - Parameters:
  ///   - streams: what a cleaned HEIC holds.
  ///   - source: what the colors are; nil when they are sRGB.
  /// - Returns: nil when it takes libheif.
  init?(
    _ streams: HEVCPicture.Streams, in bytes: [UInt8], facts: ImageFacts, source: SourceColors?,
    policy: PhotoPolicy
  ) throws {
    var streams = streams
    streams.color.orient(facts.orientationToApply)
    let conversion = source?.conversion(bitDepth: streams.color.bitDepth)
    // Tables are read by libvips, which is given no more than 8 bits here.
    self.source = conversion == nil ? source : nil
    guard self.source == nil || streams.color.bitDepth == 8 else { return nil }

    func decoded(
      _ picture: HEVCPicture, as product: HEVCDecoder.Product
    ) throws -> UprightCanvas? {
      try bytes.span.withUnsafeBytes { buffer in
        try HEVCDecoder.decode(picture, in: buffer, threads: policy.threadsPerPhoto, as: product)
      }
    }
    guard let colors = try decoded(streams.color, as: .colors(conversion)) else { return nil }
    self.colors = colors
    guard let alpha = streams.alpha else {
      self.alpha = nil
      return
    }
    guard let alpha = try decoded(alpha, as: .luma),
      (alpha.width, alpha.height) == (colors.width, colors.height)
    else { return nil }
    self.alpha = alpha
  }

  /// All of it, when there is nothing left to do to it.
  var opaque: UprightCanvas? { alpha == nil && source == nil ? colors : nil }

  /// Lends the picture as a person sees it, in sRGB.
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
    return try alpha.reading { alpha in
      try body(try colors.joined(withAlpha: try alpha.band(0)))
    }
  }
}
