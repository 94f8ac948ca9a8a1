/// Computes averages of square blocks of pixels, with colors weighted by alpha, from unfiltered rows.
///
/// The results equal those of PhotoIngestion's `VipsPicture.shrunkReadingAll` on a decoder's pixels, so a preview
/// doesn't depend on the code that read the picture.
struct PNGProofAverages {
  private let form: PNGProofForm
  private let bands: Int
  private var averages: BlockAverages
  private var expanded: [UInt8]
  /// The color of each palette index in four bytes.
  private var colors: [UInt8] = []

  /// - Parameter side: the minimum length of the longer side in pixels.
  init(form: PNGProofForm, side: Int) {
    self.form = form
    let hasAlpha = form.colorType & 4 != 0 || !form.transparency.isEmpty
    bands = (form.colorType & 2 != 0 ? 3 : 1) + (hasAlpha ? 1 : 0)
    averages = BlockAverages(
      width: form.width, height: form.height, bands: bands, weightsByAlpha: hasAlpha,
      factor: BlockAverages.factor(width: form.width, height: form.height, side: side))
    expanded = [UInt8](repeating: 0, count: form.width * bands + 4)
    guard form.colorType == 3 else { return }
    for index in 0..<256 {
      let isThere = index * 3 + 2 < form.palette.count
      colors += isThere ? form.palette[index * 3..<index * 3 + 3] : [0, 0, 0]
      colors.append(index < form.transparency.count ? form.transparency[index] : 255)
    }
  }

  var picture: ReducedPicture { averages.picture }

  mutating func add(_ row: UnsafePointer<UInt8>) {
    if form.bitDepth == 8, form.colorType != 3, form.transparency.isEmpty {
      return averages.add(row: row)
    }
    if averages.readsNextRow { expand(row) }
    let expanded = expanded
    expanded.withUnsafeBufferPointer { averages.add(row: $0.baseAddress!) }
  }

  /// Expands a row to samples of 8 bits, with alpha as one of them.
  private mutating func expand(_ row: UnsafePointer<UInt8>) {
    let depth = form.bitDepth
    let channels = form.channels
    let bands = bands
    let width = form.width
    let isIndexed = form.colorType == 3
    let key = stride(from: 1, to: isIndexed ? 0 : form.transparency.count, by: 2).map {
      form.transparency[$0]
    }
    let scale = 255 / (1 << depth - 1)
    expanded.withUnsafeMutableBufferPointer { expanded in
      var to = 0
      for x in 0..<width {
        if isIndexed {
          let index = PNGProofRows.sample(row, at: x, depth) * 4
          for band in 0..<bands { expanded[to + band] = colors[index + band] }
        } else {
          var isKey = !key.isEmpty
          for band in 0..<channels {
            let sample = PNGProofRows.sample(row, at: x * channels + band, depth)
            if isKey { isKey = sample == Int(key[band]) }
            expanded[to + band] = UInt8(sample * scale)
          }
          if !key.isEmpty { expanded[to + channels] = isKey ? 0 : 255 }
        }
        to += bands
      }
    }
  }
}
