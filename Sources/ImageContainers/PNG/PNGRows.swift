/// Counts the rows of a picture in the output of its zlib stream (W3C PNG Third Edition, 7.2 and 8).
struct PNGRows {
  /// The expected number of pixels. `pixelsShown` are the pixels of the complete rows so far.
  let pixelCount: Int
  private(set) var pixelsShown = 0
  private let header: PNGHeader
  /// The remaining passes, the next one last.
  private var passes: [(width: Int, height: Int)]
  private var rowsTaken = 0
  /// The received bytes of the current row.
  private var bytesTaken = 0
  private var isBroken = false

  init(header: PNGHeader, width: Int, height: Int) {
    self.header = header
    pixelCount = width * height
    passes = header.passes(width, height).reversed()
  }

  var isComplete: Bool { passes.isEmpty }

  mutating func addBytes(_ bytes: ArraySlice<UInt8>) {
    var position = bytes.startIndex
    while let pass = passes.last, position < bytes.endIndex, !isBroken {
      // A row begins with one of five filters.
      isBroken = bytesTaken == 0 && bytes[position] > 4
      let left = 1 + header.rowBytes(pass.width) - bytesTaken
      guard !isBroken, bytes.endIndex - position >= left else {
        bytesTaken += bytes.endIndex - position
        return
      }
      position += left
      bytesTaken = 0
      rowsTaken += 1
      pixelsShown += pass.width
      if rowsTaken == pass.height {
        passes.removeLast()
        rowsTaken = 0
      }
    }
  }
}
