import ImageContainers

/// A small picture as pixels: sRGB or gray, 8 bits per sample, with or without alpha.
struct SmallPicture: Sendable, Equatable {
  /// The samples, row by row, bands interleaved. Contains `width * height * bands` bytes. Alpha comes last and is not
  /// premultiplied.
  var pixels: [UInt8]
  let width, height: Int
  /// 1 for gray, 2 for gray and alpha, 3 for RGB, 4 for RGB and alpha.
  let bands: Int

  var hasAlpha: Bool { bands == 2 || bands == 4 }

  /// Returns the picture without its alpha if that is 255 everywhere, as in most GIFs.
  func withoutIdleAlpha() -> SmallPicture {
    guard hasAlpha else { return self }
    let alphas = stride(from: bands - 1, to: pixels.count, by: bands)
    return alphas.allSatisfy { pixels[$0] == 255 } ? withoutAlpha() : self
  }

  /// Returns red, green and blue only. Gray is repeated, and alpha is dropped.
  func inRGB() -> SmallPicture {
    let colors = hasAlpha ? withoutAlpha() : self
    guard colors.bands == 1 else { return colors }
    let rgb = [UInt8](unsafeUninitializedCapacity: width * height * 3) { rgb, count in
      for (index, gray) in colors.pixels.enumerated() {
        for band in 0..<3 { rgb[index * 3 + band] = gray }
      }
      count = rgb.count
    }
    return SmallPicture(pixels: rgb, width: width, height: height, bands: 3)
  }

  /// Returns the picture on a white background. Without alpha, returns it unchanged.
  func onWhite() -> SmallPicture {
    guard hasAlpha else { return self }
    let colors = bands - 1
    let opaque = [UInt8](unsafeUninitializedCapacity: width * height * colors) { to, count in
      for pixel in 0..<width * height {
        let alpha = Int(pixels[pixel * bands + colors])
        for band in 0..<colors {
          let sum = Int(pixels[pixel * bands + band]) * alpha + 255 * (255 - alpha)
          to[pixel * colors + band] = UInt8((sum + 127) / 255)
        }
      }
      count = to.count
    }
    return SmallPicture(pixels: opaque, width: width, height: height, bands: colors)
  }

  private func withoutAlpha() -> SmallPicture {
    let colors = [UInt8](unsafeUninitializedCapacity: width * height * (bands - 1)) { to, count in
      for pixel in 0..<width * height {
        for band in 0..<bands - 1 { to[pixel * (bands - 1) + band] = pixels[pixel * bands + band] }
      }
      count = to.count
    }
    return SmallPicture(pixels: colors, width: width, height: height, bands: bands - 1)
  }

  /// Returns the picture rotated as a person sees it.
  ///
  /// - Parameter orientation: the EXIF orientation, 1 to 8.
  func upright(_ orientation: Int) -> SmallPicture {
    guard orientation != 1 else { return self }
    let strides = OrientationStrides(
      width: width, height: height, orientation: orientation, pixelBytes: bands)
    let turned = [UInt8](unsafeUninitializedCapacity: pixels.count) { to, count in
      var from = 0
      for y in 0..<height {
        for x in 0..<width {
          let place = strides.origin + x * strides.columnStride + y * strides.rowStride
          for band in 0..<bands { to[place + band] = pixels[from + band] }
          from += bands
        }
      }
      count = to.count
    }
    let isOnItsSide = orientation >= 5
    return SmallPicture(
      pixels: turned, width: isOnItsSide ? height : width, height: isOnItsSide ? width : height,
      bands: bands)
  }
}

extension SmallPicture {
  init(_ reduced: ReducedPicture) {
    self.init(
      pixels: reduced.samples, width: reduced.width, height: reduced.height, bands: reduced.bands)
  }

  /// Returns the picture shrunk to at most `side` pixels along the longer side. If it already fits, returns it
  /// unchanged.
  func fitted(to side: Int) -> SmallPicture {
    let longer = max(width, height)
    guard longer > side else { return self }
    let scale = Double(side) / Double(longer)
    var resampler = RowResampler(
      columns: ResamplingTaps(from: width, to: PhotoSize.scaled(width, by: scale)),
      rows: ResamplingTaps(from: height, to: PhotoSize.scaled(height, by: scale)), width: width,
      bands: bands)
    pixels.withUnsafeBufferPointer { pixels in
      for y in 0..<height { resampler.add(row: pixels.baseAddress! + y * width * bands) }
    }
    return resampler.picture
  }
}
