/// Averages of square blocks of 8-bit pixels, taken row by row.
struct BlockAverages {
  private let outputWidth, outputHeight: Int
  private var pixels: [UInt8] = []
  private let width, height, bands, factor: Int
  private let weightsByAlpha, readsEveryRow: Bool
  /// One sum for each band of each block in the current row of blocks, colors weighed by alpha.
  private var sums: [UInt32]
  private var rowsSeen = 0
  private var rowsInBlock = 0
  private var rowsSummed = 0

  /// - Parameter readsEveryRow: reads all rows of large blocks, which a preview does not need.
  init(
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
    sums = [UInt32](repeating: 0, count: outputWidth * bands)
    pixels.reserveCapacity(outputWidth * outputHeight * bands)
  }

  /// Averages of an opaque picture of three bands that leave `side` pixels or more along its longer side.
  init(width: Int, height: Int, side: Int) {
    self.init(
      width: width, height: height, bands: 3, weightsByAlpha: false,
      factor: Self.factor(width: width, height: height, side: side))
  }

  /// Returns how many pixels along the side of a block leave `side` blocks or more along the longer
  /// side.
  static func factor(width: Int, height: Int, side: Int) -> Int {
    // Above 200 the sums of a block could outgrow 32 bits.
    min(200, max(1, max(width, height) / side))
  }

  /// The averages, once all rows are added.
  var picture: SmallPicture {
    SmallPicture(pixels: pixels, width: outputWidth, height: outputHeight, bands: bands)
  }

  mutating func add(row: UnsafePointer<UInt8>) {
    // A JPEG was scaled by its decoder already.
    if factor == 1, !weightsByAlpha {
      pixels.append(contentsOf: UnsafeBufferPointer(start: row, count: width * bands))
      return
    }
    // Half of the rows are plenty for blocks of 4 × 4 pixels and more.
    if readsEveryRow || factor < 4 || rowsInBlock % 2 == 0 {
      addToSums(row)
      rowsSummed += 1
    }
    rowsSeen += 1
    rowsInBlock += 1
    if rowsInBlock == factor || rowsSeen == height { finishBlocks() }
  }

  /// Hands out the row of averages that the last row has completed, if it has, and forgets it. Called
  /// after each row, it keeps one row in memory.
  mutating func takeRow(_ body: (UnsafePointer<UInt8>) -> Void) {
    guard !pixels.isEmpty else { return }
    pixels.withUnsafeBufferPointer { body($0.baseAddress!) }
    pixels.removeAll(keepingCapacity: true)
  }

  private mutating func addToSums(_ row: UnsafePointer<UInt8>) {
    sums.withUnsafeMutableBufferPointer { sums in
      for block in 0..<outputWidth {
        Self.add(
          min(factor, width - block * factor), pixels: row + block * factor * bands, bands: bands,
          weightsByAlpha: weightsByAlpha, to: sums.baseAddress! + block * bands)
      }
    }
  }

  /// Sums in registers for by far the most pictures: they take a third of the time.
  @inline(__always)
  private static func add(
    _ count: Int, pixels: UnsafePointer<UInt8>, bands: Int, weightsByAlpha: Bool,
    to sums: UnsafeMutablePointer<UInt32>
  ) {
    var from = pixels
    var red: UInt32 = 0
    var green: UInt32 = 0
    var blue: UInt32 = 0
    var alphas: UInt32 = 0
    switch bands {
    case 1:
      for column in 0..<count { red &+= UInt32(from[column]) }
      sums[0] &+= red
    case 3:
      for _ in 0..<count {
        red &+= UInt32(from[0])
        green &+= UInt32(from[1])
        blue &+= UInt32(from[2])
        from += 3
      }
      sums[0] &+= red
      sums[1] &+= green
      sums[2] &+= blue
    case 4 where weightsByAlpha:
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
    default:
      for _ in 0..<count {
        let alpha = weightsByAlpha ? UInt32(from[bands - 1]) : 1
        let colors = weightsByAlpha ? bands - 1 : bands
        for band in 0..<colors { sums[band] &+= UInt32(from[band]) &* alpha }
        if weightsByAlpha { sums[colors] &+= alpha }
        from += bands
      }
    }
  }

  private mutating func finishBlocks() {
    for block in 0..<outputWidth {
      let count = UInt32(rowsSummed * min(factor, width - block * factor))
      let alpha = weightsByAlpha ? sums[block * bands + bands - 1] : 0
      for band in 0..<bands {
        let sum = sums[block * bands + band]
        let weight = weightsByAlpha && band < bands - 1 ? alpha : count
        pixels.append(weight == 0 ? 0 : UInt8(truncatingIfNeeded: (sum + weight / 2) / weight))
        sums[block * bands + band] = 0
      }
    }
    rowsInBlock = 0
    rowsSummed = 0
  }
}
