/// Shrinking to a preview's size.
extension SmallPicture {
  /// Shrunk to at most `side` pixels along the longer side; as it is when it fits.
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
