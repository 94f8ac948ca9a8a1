/// The averages of all blocks of 8 × 8 samples of a JPEG: an eighth of the picture, from its DC
/// coefficients alone. All of the data is read, code by code, so it is proved whole as well.
struct JPEGAverages {
  /// Where a component's averages lie in `samples`, row by row, those of the blocks that fill up the
  /// last units among them.
  struct Plane {
    let start, width: Int
  }

  private(set) var samples: [UInt8]
  let planes: [Plane]
  /// The entropy-coded data without bytes that belong to no block; nil when there are none.
  let trimmedData: [UInt8]?

  /// Nil when a code is none, a block has too many coefficients, or the data ends too early.
  init?(_ scan: JPEGScan, of bytes: [UInt8]) {
    guard let data = JPEGEntropyData(bytes, of: scan) else { return nil }
    var planes: [Plane] = []
    var count = 0
    for component in scan.components {
      planes.append(Plane(start: count, width: scan.columns * component.horizontal))
      count += scan.columns * component.horizontal * scan.rows * component.vertical
    }
    self.planes = planes
    var samples = [UInt8](repeating: 0, count: count)
    let reading = Reading(scan, planes)
    let taken = samples.withUnsafeMutableBufferPointer { samples in
      data.read { units, reader in reading.read(units, &reader, into: samples) }
    }
    guard let taken else { return nil }
    self.samples = samples
    trimmedData = data.stuffed(taken)
  }
}

/// What reading needs of each block of a unit, looked up once.
private struct Reading {
  struct Block {
    let component, quantization: Int
    /// Place of its average in the first unit, and how far it moves from unit to unit.
    let place, perColumn, perRow: Int
    let dc, ac, steps: Int
  }

  private let columns: Int
  private let blocks: [Block]
  private let lookups: [UInt16]
  /// `doubleSteps` of each component.
  private let steps: [UInt16]

  init(_ scan: JPEGScan, _ planes: [JPEGAverages.Plane]) {
    columns = scan.columns
    lookups = scan.lookups
    steps = scan.components.flatMap { Self.doubleSteps($0.ac) }
    blocks = scan.blocks.map { block in
      let (component, plane) = (scan.components[block.component], planes[block.component])
      return Block(
        component: block.component, quantization: component.quantizationOfDC,
        place: plane.start + block.row * plane.width + block.column,
        perColumn: component.horizontal, perRow: plane.width * component.vertical,
        dc: block.dc, ac: block.ac, steps: block.component << JPEGHuffmanTable.lookupBits)
    }
  }

  func read(
    _ units: Range<Int>, _ reader: inout JPEGBitReader,
    into samples: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    lookups.withUnsafeBufferPointer { lookups in
      steps.withUnsafeBufferPointer { steps in
        blocks.withUnsafeBufferPointer { blocks in
          var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
          var (row, column) = units.lowerBound.quotientAndRemainder(dividingBy: columns)
          for _ in units {
            for block in blocks {
              guard let difference = reader.difference(lookups.baseAddress! + block.dc),
                Self.skipAC(
                  &reader, lookups.baseAddress! + block.ac, steps.baseAddress! + block.steps)
              else { return false }
              predictions[block.component] &+= difference
              // The middle of a sample's range, and half a step for rounding.
              let value = (predictions[block.component] &* block.quantization &+ 1028) >> 3
              samples[block.place &+ row &* block.perRow &+ column &* block.perColumn] =
                UInt8(truncatingIfNeeded: max(0, min(255, value)))
            }
            guard !reader.isOverrun else { return false }
            column += 1
            if column == columns { (row, column) = (row + 1, 0) }
          }
          return true
        }
      }
    }
  }

  private static let endOfBlock: UInt16 = 128

  /// What a code with its symbol leads to: bits it takes in all << 8 | coefficients it fills; 0 for
  /// symbols that 8-bit pictures do not have, and for codes that are found further on.
  private static func step(_ entry: UInt16) -> UInt16 {
    let (length, run, size) = (entry >> 8, entry >> 4 & 15, entry & 15)
    guard length > 0, length <= 16, size <= 10 else { return 0 }
    if size > 0 { return (length + size) << 8 | (run + 1) }
    return run == 0 ? length << 8 | endOfBlock : run == 15 ? length << 8 | 16 : 0
  }

  /// For each value of the next bits a step, and the step after it as well where its code can be
  /// seen whole: coefficients are short, and a look takes longer than anything else here.
  private static func doubleSteps(_ table: JPEGHuffmanTable) -> [UInt16] {
    let width = JPEGHuffmanTable.lookupBits
    let single = table.lookup.prefix(1 << width).map(step)
    return single.indices.map { bits in
      let first = single[bits]
      let used = Int(first >> 8)
      guard first != 0, first & endOfBlock == 0, used < width else { return first }
      let rest = bits << used & (single.count - 1)
      let isSeenWhole = Int(table.lookup[rest] >> 8) <= width - used
      return isSeenWhole ? first + single[rest] : first
    }
  }

  /// Skips a block's AC coefficients; false when they do not fill it.
  @inline(__always)
  private static func skipAC(
    _ reader: inout JPEGBitReader, _ lookup: UnsafePointer<UInt16>,
    _ steps: UnsafePointer<UInt16>
  ) -> Bool {
    var filled: UInt16 = 1
    while true {
      reader.fill()
      // Two looks take 52 bits at most.
      for _ in 0..<2 {
        let step = steps[reader.peek(JPEGHuffmanTable.lookupBits)]
        let sum = filled &+ step & 0xFF
        // Of two steps the second only counts when the first does not fill the block.
        if step != 0, sum & 127 < 64 {
          reader.skip(Int(step >> 8))
          if sum >= endOfBlock { return true }
          filled = sum
          continue
        }
        let single = Self.step(reader.entry(lookup))
        guard single != 0 else { return false }
        reader.skip(Int(single >> 8))
        filled &+= single & 0xFF
        if filled >= 64 { return filled == 64 || filled >= endOfBlock }
      }
    }
  }
}
