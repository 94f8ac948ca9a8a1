/// Averages of square blocks of pixels, colors weighed by alpha, from rows as they are unfiltered.
///
/// Gives what `shrunkReadingAll` gives from a decoder's pixels, so that a preview does not depend on
/// who read the picture.
struct PNGProofAverages {
  private let form: PNGProofForm
  private let factor, bands, outputWidth, outputHeight: Int
  private var samples: [UInt8] = []
  /// One sum for each band of each block in the current row of blocks.
  private var sums: [UInt32]
  private var expanded: [UInt8]
  /// Samples of each palette index, four bytes each.
  private var colors: [UInt8] = []
  private var rows = 0
  private var rowsInBlock = 0
  private var rowsAdded = 0

  /// - Parameter side: pixels that the longer side keeps at least.
  init(form: PNGProofForm, side: Int) {
    self.form = form
    factor = Self.factor(form: form, side: side)
    let hasAlpha = form.colorType & 4 != 0 || !form.transparency.isEmpty
    bands = (form.colorType & 2 != 0 ? 3 : 1) + (hasAlpha ? 1 : 0)
    outputWidth = (form.width + factor - 1) / factor
    outputHeight = (form.height + factor - 1) / factor
    sums = [UInt32](repeating: 0, count: outputWidth * bands)
    expanded = [UInt8](repeating: 0, count: form.width * bands + 4)
    samples.reserveCapacity(outputWidth * outputHeight * bands)
    guard form.colorType == 3 else { return }
    for index in 0..<256 {
      let isThere = index * 3 + 2 < form.palette.count
      colors += isThere ? form.palette[index * 3..<index * 3 + 3] : [0, 0, 0]
      colors.append(index < form.transparency.count ? form.transparency[index] : 255)
    }
  }

  /// Returns how many times smaller the picture is made.
  static func factor(form: PNGProofForm, side: Int) -> Int {
    // Above 200 the sums of a block could outgrow 32 bits.
    min(200, max(1, max(form.width, form.height) / side))
  }

  var picture: ReducedPicture {
    ReducedPicture(width: outputWidth, height: outputHeight, bands: bands, samples: samples)
  }

  mutating func add(_ row: UnsafePointer<UInt8>) {
    // Half of the rows are plenty for blocks of 4 × 4 pixels and more.
    if factor < 4 || rowsInBlock % 2 == 0 {
      if form.bitDepth == 8, form.colorType != 3, form.transparency.isEmpty {
        sum(row)
      } else {
        expand(row)
        let expanded = expanded
        expanded.withUnsafeBufferPointer { sum($0.baseAddress!) }
      }
      rowsAdded += 1
    }
    rows += 1
    rowsInBlock += 1
    if rowsInBlock == factor || rows == form.height { finishBlocks() }
  }

  /// Makes a row of samples of 8 bits, alpha as one of them.
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

  private mutating func sum(_ row: UnsafePointer<UInt8>) {
    let bands = bands
    let factor = factor
    let width = form.width
    let outputWidth = outputWidth
    sums.withUnsafeMutableBufferPointer { sums in
      for block in 0..<outputWidth {
        let from = row + block * factor * bands
        let count = min(factor, width - block * factor)
        let to = sums.baseAddress! + block * bands
        // A constant number of bands lets the compiler unroll: that takes a third of the time.
        switch bands {
        case 1: Self.sum(from, count, bands: 1, to)
        case 2: Self.sum(from, count, bands: 2, to)
        case 3: Self.sum(from, count, bands: 3, to)
        default: Self.sum(from, count, bands: 4, to)
        }
      }
    }
  }

  @inline(__always)
  private static func sum(
    _ from: UnsafePointer<UInt8>, _ count: Int, bands: Int, _ to: UnsafeMutablePointer<UInt32>
  ) {
    var total = SIMD4<UInt32>()
    let hasAlpha = bands % 2 == 0
    var pixel = from
    for _ in 0..<count {
      let alpha = hasAlpha ? UInt32(pixel[bands - 1]) : 1
      for band in 0..<(hasAlpha ? bands - 1 : bands) {
        total[band] &+= UInt32(pixel[band]) &* alpha
      }
      if hasAlpha { total[bands - 1] &+= alpha }
      pixel += bands
    }
    for band in 0..<bands { to[band] &+= total[band] }
  }

  private mutating func finishBlocks() {
    let hasAlpha = bands % 2 == 0
    for block in 0..<outputWidth {
      let count = UInt32(rowsAdded * min(factor, form.width - block * factor))
      let alpha = hasAlpha ? sums[block * bands + bands - 1] : 0
      for band in 0..<bands {
        let sum = sums[block * bands + band]
        let weight = hasAlpha && band < bands - 1 ? alpha : count
        samples.append(weight == 0 ? 0 : UInt8(truncatingIfNeeded: (sum + weight / 2) / weight))
        sums[block * bands + band] = 0
      }
    }
    rowsInBlock = 0
    rowsAdded = 0
  }
}
