import ImageContainers

/// Scales a picture, whose rows arrive one by one from the top, down to one of its sizes. First averages square blocks,
/// which leave at least twice as many pixels as the size has. Then applies the kernel of `ResamplingTaps`, as for
/// previews.
struct SizeScaler {
  let size: PhotoSize
  private let width: Int
  /// The channels of a pixel, which libvips calls bands.
  private let bands: Int
  private var averages: BlockAverages?
  private var resampler: RowResampler?
  /// The picture itself if it already has the size.
  private var unscaledPixels: [UInt8] = []

  /// Creates a scaler.
  ///
  /// - Parameters:
  ///   - size: one of `PhotoSize.ladder` for this picture.
  ///   - width: the width in pixels of the picture, which its decoder may have shrunk.
  ///   - height: the height in pixels of the picture.
  init(_ size: PhotoSize, ofWidth width: Int, height: Int, bands: Int) {
    self.size = size
    self.width = width
    self.bands = bands
    if (size.width, size.height) == (width, height) {
      unscaledPixels.reserveCapacity(width * height * bands)
      return
    }
    let factor = BlockAverages.factor(
      width: width, height: height, side: 2 * max(size.width, size.height))
    if factor > 1 {
      averages = BlockAverages(
        width: width, height: height, bands: bands, weightsByAlpha: bands % 2 == 0, factor: factor,
        readsEveryRow: true)
    }
    func taps(_ length: Int, _ newLength: Int) -> ResamplingTaps {
      // The last block may be narrower than the others.
      ResamplingTaps(
        from: (length + factor - 1) / factor, spanning: Double(length) / Double(factor),
        to: newLength)
    }
    resampler = RowResampler(
      columns: taps(width, size.width), rows: taps(height, size.height),
      width: (width + factor - 1) / factor, bands: bands)
  }

  /// The scaled picture, once all rows have been added.
  var picture: SmallPicture {
    resampler?.picture
      ?? SmallPicture(pixels: unscaledPixels, width: size.width, height: size.height, bands: bands)
  }

  /// Adds the next row. Not inlined, because in a loop over rows Swift 6.3 optimizes the averages' array such that an
  /// address inside this value is released. Only release builds crashed (`Scripts/smoke` has a picture for it).
  @inline(never)
  mutating func add(row: UnsafePointer<UInt8>) {
    if resampler == nil {
      unscaledPixels.append(contentsOf: UnsafeBufferPointer(start: row, count: width * bands))
    } else if averages == nil {
      resampler?.add(row: row)
    } else {
      averages?.add(row: row)
      averages?.takeRow()?.withUnsafeBufferPointer { resampler?.add(row: $0.baseAddress!) }
    }
  }
}
