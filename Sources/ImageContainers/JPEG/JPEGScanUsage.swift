/// Which coefficients the blocks of a scan have. All of its data is read, code by code, so it is verified whole
/// as well.
struct JPEGScanUsage {
  /// For each component a bit for each coefficient that is not zero in some block, in zigzag order;
  /// all of them where it makes no difference (`JPEGQuantization.isTypical`).
  let used: [UInt64]

  /// Nil when a code is none, a block has too many coefficients, or the data ends too early.
  init?(_ scan: JPEGScan, of bytes: [UInt8]) {
    let data = JPEGEntropyData(bytes, of: scan)
    var unused = InlineArray<4, UInt64>(repeating: 0)
    for (index, component) in scan.components.enumerated() {
      unused[index] = JPEGQuantization.isTypical(component.quantization) ? 0 : .max
    }
    let reading = Reading(scan)
    guard data.read({ units, reader in reading.read(units.count, &reader, &unused) }) != nil else {
      return nil
    }
    used = scan.components.indices.map { ~unused[$0] }
  }
}

/// What reading needs of each block of a unit, looked up once.
private struct Reading {
  struct Block {
    let component, dc, ac, steps: Int
  }

  private let blocks: [Block]
  private let lookups: [UInt16]
  /// `doubleSteps` of each table of AC coefficients.
  private var steps: [UInt64] = []

  init(_ scan: JPEGScan) {
    lookups = scan.lookups
    var starts: [Int: Int] = [:]
    for block in scan.blocks where starts[block.ac] == nil {
      starts[block.ac] = steps.count
      steps += Self.doubleSteps(scan.components[block.component].ac)
    }
    blocks = scan.blocks.map { block in
      Block(
        component: block.component, dc: block.dc, ac: block.ac, steps: starts[block.ac] ?? 0)
    }
  }

  func read(
    _ unitCount: Int, _ reader: inout JPEGBitReader, _ unused: inout InlineArray<4, UInt64>
  ) -> Bool {
    lookups.withUnsafeBufferPointer { lookups in
      steps.withUnsafeBufferPointer { steps in
        blocks.withUnsafeBufferPointer { blocks in
          var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
          for _ in 0..<unitCount {
            for block in blocks {
              guard let difference = reader.difference(lookups.baseAddress! + block.dc) else {
                return false
              }
              predictions[block.component] &+= difference
              guard JPEGCoefficients.isAverage(predictions[block.component]) else { return false }
              let average: UInt64 = predictions[block.component] == 0 ? 0 : 1
              let found = Self.followAC(
                &reader, lookups.baseAddress! + block.ac, steps.baseAddress! + block.steps)
              guard let found else { return false }
              unused[block.component] &= ~(found | average)
            }
            guard !reader.isOverrun else { return false }
          }
          return true
        }
      }
    }
  }

  private static let endOfBlock: UInt64 = 128

  /// Returns what a code with its symbol leads to: a bit for each coefficient it fills with more than a zero,
  /// the nearest one lowest, << 16 | bits it takes in all << 8 | coefficients it fills; 0 for symbols that
  /// 8-bit pictures do not have, and for codes that are found further on.
  @inline(__always)
  private static func step(_ entry: UInt16) -> UInt64 {
    let length = UInt64(entry >> 8)
    let run = UInt64(entry >> 4 & 15)
    let size = UInt64(entry & 15)
    guard length > 0, length <= 16, size <= 10 else { return 0 }
    if size > 0 { return 0x10000 << run | (length + size) << 8 | (run + 1) }
    return run == 0 ? length << 8 | endOfBlock : run == 15 ? length << 8 | 16 : 0
  }

  /// Returns for each value of the next bits a step, and the step after it as well where its code can be
  /// seen whole: coefficients are short, and a look takes longer than anything else here.
  private static func doubleSteps(_ table: JPEGHuffmanTable) -> [UInt64] {
    let width = JPEGHuffmanTable.lookupBits
    let single = table.lookup.prefix(1 << width).map(step)
    return single.indices.map { bits in
      let first = single[bits]
      let used = Int(first >> 8 & 0xFF)
      guard first != 0, first & endOfBlock == 0, used < width else { return first }
      let rest = bits << used & (single.count - 1)
      let isSeenWhole = Int(table.lookup[rest] >> 8) <= width - used
      guard isSeenWhole else { return first }
      return first + single[rest] & 0xFFFF | (single[rest] >> 16) << (16 + first & 0xFF)
    }
  }

  /// Takes a block's AC coefficients.
  ///
  /// - Returns: a bit for each that there is, which none is zero; nil when they do not fill the block.
  @inline(__always)
  private static func followAC(
    _ reader: inout JPEGBitReader, _ lookup: UnsafePointer<UInt16>, _ steps: UnsafePointer<UInt64>
  ) -> UInt64? {
    var filled: UInt64 = 1
    var found: UInt64 = 0
    while true {
      reader.fill()
      // Two looks take 52 bits at most.
      for _ in 0..<2 {
        let step = steps[reader.peek(JPEGHuffmanTable.lookupBits)]
        let sum = filled &+ step & 0xFF
        // Of two steps the second only counts when the first does not fill the block.
        if step != 0, sum & 127 < 64 {
          reader.skip(Int(truncatingIfNeeded: step >> 8 & 0xFF))
          found |= (step &>> 16) &<< filled
          if sum >= endOfBlock { return found }
          filled = sum
          continue
        }
        let single = Self.step(reader.entry(lookup))
        guard single != 0 else { return nil }
        reader.skip(Int(truncatingIfNeeded: single >> 8 & 0xFF))
        if single & endOfBlock != 0 { return found }
        found |= (single &>> 16) &<< filled
        filled &+= single & 0xFF
        if filled >= 64 { return filled == 64 ? found : nil }
      }
    }
  }
}
