import CVips
import ImageContainers

/// A reference to a libvips picture. Operations return new pictures and compute when needed.
///
/// A picture made from bytes reads them as long as it exists. It must not outlive the closure that receives it (see
/// `reading`).
struct VipsPicture: ~Copyable {
  let image: UnsafeMutablePointer<VipsImage>

  private init(taking image: UnsafeMutablePointer<VipsImage>) { self.image = image }

  deinit { g_object_unref(image) }

  /// Returns the result of a libvips call that creates a picture.
  ///
  /// - Throws: `refusal`, or `PhotoError.corrupt(what:)` with the stage's identifier. libvips' own text is only logged.
  static func make(
    _ stage: String, _ refusal: PhotoError? = nil,
    _ call: (UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32
  ) throws -> VipsPicture {
    var out: UnsafeMutablePointer<VipsImage>?
    guard call(&out) == 0, let out else {
      if let out { g_object_unref(out) }
      DecoderLog.recordProblem(stage, VipsRuntime.takeErrorText())
      throw refusal ?? PhotoError.corrupt(what: stage)
    }
    return VipsPicture(taking: out)
  }

  var width: Int { Int(image.pointee.Xsize) }
  /// The number of rows of all frames together.
  var height: Int { Int(image.pointee.Ysize) }
  var bands: Int { Int(image.pointee.Bands) }
  var is8Bit: Bool { image.pointee.BandFmt == VIPS_FORMAT_UCHAR }
  var hasAlpha: Bool { petspot_has_alpha(image) != 0 }
  /// The number of rows of one frame.
  var pageHeight: Int { Int(petspot_page_height(image)) }
  var pageCount: Int { pageHeight > 0 ? height / pageHeight : 1 }

  /// Opens a picture with the loader for `format`. Reads the header and decodes nothing.
  ///
  /// - Parameters:
  ///   - shrink: the factor by which a JPEG (1, 2, 4 or 8) or a still WebP is shrunk while it is decoded. All of the
  ///     data is still read.
  static func open(
    _ bytes: UnsafeRawBufferPointer, as format: ImageFormat, shrink: Int = 1
  ) throws -> VipsPicture {
    if format == .heic, !VipsRuntime.loadsHEIC { throw PhotoError.fault(.heifLoader) }
    // The boxes are sound because our code wrote them. If libheif refuses them, it lacks support.
    let refusal = format == .heic ? PhotoError.unsupportedFormat(detected: "hevc") : nil
    return try make("header", refusal) { out in
      let base = bytes.baseAddress
      let count = bytes.count
      return switch format {
      case .jpeg: petspot_load_jpeg(base, count, Int32(shrink), out)
      case .png: petspot_load_png(base, count, out)
      case .gif: petspot_load_gif(base, count, out)
      case .webp: petspot_load_webp(base, count, Int32(shrink), out)
      case .heic: petspot_load_heif(base, count, out)
      }
    }
  }

  /// Opens a picture for the duration of `body`.
  static func reading<Result>(
    _ bytes: [UInt8], as format: ImageFormat, shrink: Int = 1,
    _ body: (borrowing VipsPicture) throws -> Result
  ) throws -> Result {
    try bytes.span.withUnsafeBytes { buffer in
      let picture = try VipsPicture.open(buffer, as: format, shrink: shrink)
      return try body(picture)
    }
  }

  /// Returns a picture over pixels in memory: 8-bit sRGB or gray, row by row. Copies nothing.
  static func over(
    _ pixels: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int = 3
  ) throws -> VipsPicture {
    try make("decode") {
      petspot_over(
        pixels.baseAddress, pixels.count, Int32(width), Int32(height), Int32(bands), $0)
    }
  }

  /// Decodes and computes the whole picture into memory.
  func inMemory(_ stage: String = "decode") throws -> VipsPicture {
    try Self.make(stage) { out in
      out.pointee = petspot_in_memory(image)
      return out.pointee == nil ? -1 : 0
    }
  }

  /// Returns a part of the picture, by default at full width.
  func cropped(
    left: Int = 0, top: Int, width part: Int? = nil, height: Int
  ) throws -> VipsPicture {
    try Self.make("crop") {
      petspot_crop(image, $0, Int32(left), Int32(top), Int32(part ?? width), Int32(height))
    }
  }

  /// Returns the pixels as bytes, row by row, bands interleaved.
  func pixels() throws -> [UInt8] {
    var count = 0
    guard let data = petspot_pixels(image, &count) else {
      DecoderLog.recordProblem("pixels", VipsRuntime.takeErrorText())
      throw PhotoError.undecodable
    }
    defer { g_free(data) }
    return [UInt8](UnsafeRawBufferPointer(start: data, count: count))
  }
}

extension VipsPicture {
  /// Encodes all frames without metadata, and without the colors of fully transparent pixels (decision 38).
  ///
  /// - Parameters:
  ///   - quality: 1 to 100 for JPEG and lossy WebP.
  ///   - subsampled: `true` if a JPEG's chroma may have half the resolution.
  ///   - losslessEffort: the compression effort of a lossless WebP, 0 to 6. `nil` for a lossy one.
  func encoded(
    as format: ImageFormat, quality: Int, subsampled: Bool = true, losslessEffort: Int? = nil
  ) throws -> [UInt8] {
    guard !hasAlpha || format == .jpeg else {
      return try Self.make("encode") { petspot_clear_hidden(image, $0) }.encodedAsIs(
        format, quality, subsampled, losslessEffort)
    }
    return try encodedAsIs(format, quality, subsampled, losslessEffort)
  }

  private func encodedAsIs(
    _ format: ImageFormat, _ quality: Int, _ subsampled: Bool, _ losslessEffort: Int?
  ) throws -> [UInt8] {
    var data: UnsafeMutableRawPointer?
    var count = 0
    let result =
      switch format {
      case .jpeg:
        petspot_save_jpeg(image, &data, &count, Int32(quality), subsampled ? 1 : 0)
      case .png: petspot_save_png(image, &data, &count)
      case .webp:
        petspot_save_webp(
          image, &data, &count, Int32(quality), losslessEffort == nil ? 0 : 1,
          Int32(losslessEffort ?? 4))
      case .gif, .heic: -1 as Int32  // Never requested: a GIF is copied, HEIC becomes JPEG.
      }
    guard result == 0, let data else {
      DecoderLog.recordProblem("encode", VipsRuntime.takeErrorText())
      // Decoding is lazy, so damage in the pixels first appears here.
      throw PhotoError.undecodable
    }
    defer { g_free(data) }
    return [UInt8](UnsafeRawBufferPointer(start: data, count: count))
  }
}
