import CVips
import ImageContainers

extension VipsPicture {
  /// Applies an EXIF orientation (1 to 8) to each frame. The picture must be in memory, because rows are read out of
  /// order.
  func upright(_ orientation: Int) throws -> VipsPicture {
    guard pageCount > 1 else { return try turned(orientation) }
    var frames: [UnsafeMutablePointer<VipsImage>?] = []
    defer { for frame in frames { g_object_unref(frame) } }
    for index in 0..<pageCount {
      let frame = try cropped(top: index * pageHeight, height: pageHeight).turned(orientation)
      frames.append(frame.image)
      g_object_ref(frame.image)
    }
    let stacked = try Self.make("orient") { petspot_stack(&frames, $0, Int32(frames.count)) }
    let frameHeight = stacked.height / frames.count
    return try Self.make("orient") {
      petspot_with_page_height(stacked.image, $0, Int32(frameHeight))
    }
  }

  private func turned(_ orientation: Int) throws -> VipsPicture {
    let angle =
      switch orientation {
      case 3, 4: VIPS_ANGLE_D180
      case 5, 6: VIPS_ANGLE_D90
      case 7, 8: VIPS_ANGLE_D270
      default: VIPS_ANGLE_D0
      }
    let rotated = try Self.make("orient") { petspot_rotate(image, $0, angle) }
    guard [2, 4, 5, 7].contains(orientation) else { return rotated }
    return try Self.make("orient") {
      petspot_flip(rotated.image, $0, VIPS_DIRECTION_HORIZONTAL)
    }
  }

  /// Converts the picture to 8-bit sRGB or gray. Alpha is split off first and kept.
  ///
  /// - Parameter source: the colors of the values. `nil` if they are already sRGB. For CMYK without a profile, libvips
  ///   uses its own profile.
  func inSRGB(from source: SourceColors?) throws -> VipsPicture {
    guard hasAlpha else { return try opaqueInSRGB(from: source) }
    let colorBands = Int32(bands - 1)
    let color = try Self.make("color") { petspot_extract_bands(image, $0, 0, colorBands) }
    let alpha8 = try band(bands - 1).in8Bit()
    return try color.opaqueInSRGB(from: source).joined(withAlpha: alpha8)
  }

  /// Returns a single band, counted from 0.
  func band(_ index: Int) throws -> VipsPicture {
    try Self.make("color") { petspot_extract_bands(image, $0, Int32(index), 1) }
  }

  /// Returns these colors with an alpha band appended.
  func joined(withAlpha alpha: borrowing VipsPicture) throws -> VipsPicture {
    let alpha = alpha.image
    return try Self.make("color") { petspot_join_bands(image, alpha, $0) }
  }

  private func opaqueInSRGB(from source: SourceColors?) throws -> VipsPicture {
    switch source {
    case .hdr(let colors): try toneMapped(colors)
    case .profile(let profile): try opaqueInSRGB(fromProfile: profile)
    case nil: try opaqueInSRGB(fromProfile: nil)
    }
  }

  private func opaqueInSRGB(fromProfile profile: [UInt8]?) throws -> VipsPicture {
    let isCMYK = image.pointee.Type == VIPS_INTERPRETATION_CMYK
    let isGray = bands == 1
    let plain = try Self.make("color") { petspot_without_profile(image, $0) }
    guard profile != nil || isCMYK else {
      let samples = try plain.in8Bit()
      return try Self.make("color") { petspot_as_srgb(samples.image, $0) }
    }
    // A gray picture may have an RGB profile. The conversion then needs three bands.
    let spread = isGray && profile.flatMap(ICCProfile.init)?.colorSpace == .rgb
    let tagged =
      spread
      ? try plain.inThreeBands().tagged(with: profile) : try plain.tagged(with: profile)
    let converted = try Self.make("color") {
      petspot_icc_to_srgb(tagged.image, $0, isCMYK ? "cmyk" : "srgb")
    }
    guard isGray else { return converted }
    let gray = try converted.band(0)
    return try Self.make("color") { petspot_as_srgb(gray.image, $0) }
  }

  private func tagged(with profile: [UInt8]?) throws -> VipsPicture {
    guard let profile else { return try Self.make("color") { petspot_without_profile(image, $0) } }
    return try Self.make("color") { out in
      profile.withUnsafeBytes { petspot_with_profile(image, out, $0.baseAddress, $0.count) }
    }
  }

  private func inThreeBands() throws -> VipsPicture {
    try Self.make("color") { petspot_gray_to_three_bands(image, $0) }
  }

  private func in8Bit() throws -> VipsPicture {
    try Self.make("depth") { petspot_cast_to_8_bit(image, $0) }
  }

  /// Returns the picture at its offset on a transparent canvas of the stored size. Without an offset, returns it
  /// unchanged.
  consuming func onCanvas(
    of facts: ImageFacts, at offset: (left: Int, top: Int)?
  ) throws -> VipsPicture {
    guard let offset, (width, height) != (facts.storedWidth, facts.storedHeight) else {
      return self
    }
    return try Self.make("canvas") {
      petspot_place(
        image, $0, Int32(offset.left), Int32(offset.top), Int32(facts.storedWidth),
        Int32(facts.storedHeight))
    }
  }
}

/// Reads a picture once from top to bottom, keeping only a small one.
extension VipsPicture {
  /// Computes all rows of all frames in order, which verifies that the data is complete. Returns the first frame,
  /// shrunk by the largest integer factor that leaves at least `side` pixels along its longer side.
  ///
  /// Averaging here takes a fifth of the time of libvips' pipeline. Memory is one strip of rows, however large the
  /// picture is. The colors of transparent pixels don't affect the result.
  func shrunkReadingAll(side: Int) throws -> SmallPicture {
    let frameHeight = pageHeight
    var averages = BlockAverages(
      width: width, height: frameHeight, bands: bands, weightsByAlpha: hasAlpha,
      factor: BlockAverages.factor(width: width, height: frameHeight, side: side))
    try forEachStrip { rows, top, count, stride in
      for row in 0..<max(0, min(count, frameHeight - top)) {
        averages.add(row: rows + row * stride)
      }
    }
    return SmallPicture(averages.picture)
  }
}
