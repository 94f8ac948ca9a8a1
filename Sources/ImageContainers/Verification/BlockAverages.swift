/// Shrinks a picture by averaging square blocks of 8-bit pixels, row by row. It makes the input of previews and of
/// smaller sizes.
package struct BlockAverages {
  private let outputWidth, outputHeight: Int
  private var pixels: [UInt8] = []
  private let width, height, bands, factor: Int
  private let weightsByAlpha, readsEveryRow: Bool
  /// The sums for each band of each block in the current row of blocks, with colors weighted by alpha. Empty if alpha
  /// isn't used as weight.
  private var sums: [UInt32]
  /// Without alpha weights, the sums for each sample of a row, over at most 200 rows.
  private var columns: [UInt16]
  private var rowsSeen = 0
  private var rowsInBlock = 0
  private var rowsSummed = 0

  /// - Parameter readsEveryRow: `true` to read all rows of large blocks, which previews don't need.
  package init(
    width: Int, height: Int, bands: Int, weightsByAlpha: Bool, factor: Int,
    readsEveryRow: Bool = false
  ) {
    self.width = width
    self.height = height
    self.bands = bands
    self.factor = factor
    self.weightsByAlpha = weightsByAlpha && bands > 1
    self.readsEveryRow = readsEveryRow
    outputWidth = (width + factor - 1) / factor
    outputHeight = (height + factor - 1) / factor
    sums = [UInt32](repeating: 0, count: self.weightsByAlpha ? outputWidth * bands : 0)
    columns = [UInt16](repeating: 0, count: self.weightsByAlpha ? 0 : width * bands)
    pixels.reserveCapacity(outputWidth * outputHeight * bands)
  }

  /// Creates averages of an opaque picture with three bands that have at least `side` pixels along the longer side.
  package init(width: Int, height: Int, side: Int) {
    self.init(
      width: width, height: height, bands: 3, weightsByAlpha: false,
      factor: Self.factor(width: width, height: height, side: side))
  }

  /// Returns the largest side of a block in pixels that gives at least `side` blocks along the longer side.
  package static func factor(width: Int, height: Int, side: Int) -> Int {
    // With more than 200, the sums of a block could exceed 32 bits.
    min(200, max(1, max(width, height) / side))
  }

  /// The averages, after all rows have been added.
  package var picture: ReducedPicture {
    ReducedPicture(width: outputWidth, height: outputHeight, bands: bands, samples: pixels)
  }

  /// `true` if the next row is used. Half of the rows are enough for blocks of 4 × 4 pixels and more.
  var readsNextRow: Bool { readsEveryRow || factor < 4 || rowsInBlock % 2 == 0 }

  /// Adds the next row. Not inlined because in a loop over rows, Swift 6.3 optimizes the array such that an address
  /// inside this value is released (a crash in release builds only; `Scripts/smoke` has a picture for it).
  @inline(never)
  package mutating func add(row: UnsafePointer<UInt8>) {
    // A JPEG may already have been scaled by its decoder.
    if factor == 1, !weightsByAlpha {
      pixels.append(contentsOf: UnsafeBufferPointer(start: row, count: width * bands))
      return
    }
    if readsNextRow {
      addToSums(row)
      rowsSummed += 1
    }
    rowsSeen += 1
    rowsInBlock += 1
    if rowsInBlock == factor || rowsSeen == height { finishBlocks() }
  }

  /// Returns and removes the row of averages that the last row has completed, if any. If it is called after each row,
  /// only one row is kept in memory.
  package mutating func takeRow() -> [UInt8]? {
    guard !pixels.isEmpty else { return nil }
    defer { pixels = [] }
    return pixels
  }

  private mutating func addToSums(_ row: UnsafePointer<UInt8>) {
    guard weightsByAlpha else {
      return columns.withUnsafeMutableBufferPointer { columns in
        for index in columns.indices { columns[index] &+= UInt16(row[index]) }
      }
    }
    sums.withUnsafeMutableBufferPointer { sums in
      for block in 0..<outputWidth {
        Self.add(
          min(factor, width - block * factor), pixels: row + block * factor * bands, bands: bands,
          to: sums.baseAddress! + block * bands)
      }
    }
  }

  /// Adds pixels to sums. The sums of four bands, by far the most frequent case, are kept in registers, which takes a
  /// third of the time.
  @inline(__always)
  private static func add(
    _ count: Int, pixels: UnsafePointer<UInt8>, bands: Int, to sums: UnsafeMutablePointer<UInt32>
  ) {
    var from = pixels
    guard bands == 4 else {
      for _ in 0..<count {
        let alpha = UInt32(from[bands - 1])
        for band in 0..<bands - 1 { sums[band] &+= UInt32(from[band]) &* alpha }
        sums[bands - 1] &+= alpha
        from += bands
      }
      return
    }
    var red: UInt32 = 0
    var green: UInt32 = 0
    var blue: UInt32 = 0
    var alphas: UInt32 = 0
    for _ in 0..<count {
      let alpha = UInt32(from[3])
      red &+= UInt32(from[0]) &* alpha
      green &+= UInt32(from[1]) &* alpha
      blue &+= UInt32(from[2]) &* alpha
      alphas &+= alpha
      from += 4
    }
    sums[0] &+= red
    sums[1] &+= green
    sums[2] &+= blue
    sums[3] &+= alphas
  }

  private mutating func finishBlocks() {
    if weightsByAlpha { averageSums() } else { averageColumns() }
    rowsInBlock = 0
    rowsSummed = 0
  }

  private mutating func averageColumns() {
    let factor = factor
    let width = width
    let bands = bands
    let outputWidth = outputWidth
    let rowsSummed = rowsSummed
    let end = pixels.count
    pixels.append(contentsOf: repeatElement(0, count: outputWidth * bands))
    pixels.withUnsafeMutableBufferPointer { pixels in
      columns.withUnsafeMutableBufferPointer { columns in
        var across = 0
        var count: UInt64 = 0
        var share: UInt64 = 0
        for block in 0..<outputWidth {
          let first = block * factor
          if across != min(factor, width - first) {
            across = min(factor, width - first)
            count = UInt64(rowsSummed * across)
            share = ((1 << 40) + count - 1) / count
          }
          for band in 0..<bands {
            var sum = count / 2
            for column in first..<first + across { sum &+= UInt64(columns[column * bands + band]) }
            // sum / count, exact for sums below 2^24 and counts below 2^16.
            pixels[end + block * bands + band] = UInt8(truncatingIfNeeded: (sum &* share) >> 40)
          }
        }
        columns.update(repeating: 0)
      }
    }
  }

  private mutating func averageSums() {
    for block in 0..<outputWidth {
      let count = UInt32(rowsSummed * min(factor, width - block * factor))
      let alpha = sums[block * bands + bands - 1]
      for band in 0..<bands {
        let sum = sums[block * bands + band]
        let weight = band < bands - 1 ? alpha : count
        pixels.append(weight == 0 ? 0 : UInt8(truncatingIfNeeded: (sum + weight / 2) / weight))
        sums[block * bands + band] = 0
      }
    }
  }
}
