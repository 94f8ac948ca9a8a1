/// Averages of square blocks of 8-bit pixels, taken row by row.
struct BlockAverages {
  private let outputWidth, outputHeight: Int
  private var pixels: [UInt8] = []
  private let width, height, bands, factor: Int
  private let weighsAlpha: Bool
  /// One sum for each band of each block in the current row of blocks, colors weighed by alpha.
  private var sums: [UInt32]
  private var rows = 0
  private var rowsInBlock = 0
  private var rowsAdded = 0

  init(width: Int, height: Int, bands: Int, weighsAlpha: Bool, factor: Int) {
    (self.width, self.height, self.bands, self.factor) = (width, height, bands, factor)
    self.weighsAlpha = weighsAlpha && bands > 1
    outputWidth = (width + factor - 1) / factor
    outputHeight = (height + factor - 1) / factor
    sums = [UInt32](repeating: 0, count: outputWidth * bands)
    pixels.reserveCapacity(outputWidth * outputHeight * bands)
  }

  /// The averages, once all rows are added.
  var picture: SmallPicture {
    SmallPicture(pixels: pixels, width: outputWidth, height: outputHeight, bands: bands)
  }

  mutating func add(row: UnsafePointer<UInt8>) {
    // Half of the rows are plenty for blocks of 4 × 4 pixels and more.
    if factor < 4 || rowsInBlock % 2 == 0 {
      addToSums(row)
      rowsAdded += 1
    }
    rows += 1
    rowsInBlock += 1
    if rowsInBlock == factor || rows == height { finishBlocks() }
  }

  private mutating func addToSums(_ row: UnsafePointer<UInt8>) {
    sums.withUnsafeMutableBufferPointer { sums in
      var from = row
      for block in 0..<outputWidth {
        let to = sums.baseAddress! + block * bands
        let count = min(factor, width - block * factor)
        // By far the most pictures: sums in registers take a third of the time.
        if bands == 1 {
          var gray: UInt32 = 0
          for column in 0..<count { gray &+= UInt32(from[column]) }
          to[0] &+= gray
          from += count
          continue
        }
        if bands == 3 || bands == 4 && weighsAlpha {
          var (red, green, blue, alphas): (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
          for _ in 0..<count {
            let alpha = bands == 4 ? UInt32(from[3]) : 1
            red &+= UInt32(from[0]) &* alpha
            green &+= UInt32(from[1]) &* alpha
            blue &+= UInt32(from[2]) &* alpha
            alphas &+= alpha
            from += bands
          }
          to[0] &+= red
          to[1] &+= green
          to[2] &+= blue
          if bands == 4 { to[3] &+= alphas }
          continue
        }
        for _ in 0..<count {
          if weighsAlpha {
            let alpha = UInt32(from[bands - 1])
            for band in 0..<bands - 1 { to[band] &+= UInt32(from[band]) &* alpha }
            to[bands - 1] &+= alpha
          } else {
            for band in 0..<bands { to[band] &+= UInt32(from[band]) }
          }
          from += bands
        }
      }
    }
  }

  private mutating func finishBlocks() {
    for block in 0..<outputWidth {
      let count = UInt32(rowsAdded * min(factor, width - block * factor))
      let alpha = weighsAlpha ? sums[block * bands + bands - 1] : 0
      for band in 0..<bands {
        let sum = sums[block * bands + band]
        let weight = weighsAlpha && band < bands - 1 ? alpha : count
        pixels.append(weight == 0 ? 0 : UInt8(truncatingIfNeeded: (sum + weight / 2) / weight))
        sums[block * bands + band] = 0
      }
    }
    rowsInBlock = 0
    rowsAdded = 0
  }
}
