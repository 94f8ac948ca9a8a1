/// What the data of a scan uses of its tables. All of it is read, code by code, so it is proved whole
/// as well.
struct JPEGScanUsage {
  /// The entropy-coded data in its finished form; nil when that is how it stands in the file.
  let data: [UInt8]?
  /// Which places of `JPEGScan.lookups` its codes were found at: 1, else 0.
  let seen: [UInt8]
  /// For each component a bit for each coefficient that is not zero in some block, in zigzag order;
  /// all of them where it makes no difference (`JPEGQuantization.isTypical`).
  let used: [UInt64]
  /// Something is coded in blocks that lie wholly outside of the picture, where no decoder shows it.
  let hidesBlocks: Bool

  /// Nil when a code is none, a block has too many coefficients, or the data ends too early.
  init?(_ scan: JPEGScan, of bytes: [UInt8]) {
    var data = JPEGEntropyData(bytes, of: scan)
    var hidesBlocks = false
    var unused = InlineArray<4, UInt64>(repeating: 0)
    for (index, component) in scan.components.enumerated() {
      unused[index] = JPEGQuantization.isTypical(component.quantization) ? 0 : .max
    }
    let reading = Reading(scan)
    var seen = [UInt8](repeating: 0, count: scan.lookups.count)
    var seenSteps = [UInt8](repeating: 0, count: reading.steps.count)
    let stops = seen.withUnsafeMutableBufferPointer { seen in
      seenSteps.withUnsafeMutableBufferPointer { seenSteps in
        data.read { units, reader in
          reading.read(
            units, &reader, marking: seen, seenSteps, &unused, hidden: &hidesBlocks)
        }
      }
    }
    guard let stops else { return nil }
    reading.mark(seenSteps, in: &seen)
    (self.seen, self.hidesBlocks) = (seen, hidesBlocks)
    used = scan.components.indices.map { ~unused[$0] }
    self.data = data.finished(stops)
  }
}

/// What reading needs of each block of a unit, looked up once.
private struct Reading {
  struct Block {
    let component, dc, ac, steps: Int
    /// The units from which on it lies outside of the picture.
    let columnOutside, rowOutside: Int
  }

  private let columns: Int
  private let blocks: [Block]
  private let lookups: [UInt16]
  /// `doubleSteps` of each table of AC coefficients.
  private(set) var steps: [UInt64] = []
  /// Where each of them starts, and the table's lookup.
  private var tables: [(steps: Int, lookup: Int)] = []
  /// The units from which on some blocks lie outside of the picture.
  private let columnOutside, rowOutside: Int

  init(_ scan: JPEGScan) {
    columns = scan.columns
    lookups = scan.lookups
    for component in scan.components {
      let lookup = scan.places[component.selectors & 15 | 0x10]!
      guard !tables.contains(where: { $0.lookup == lookup }) else { continue }
      tables.append((steps.count, lookup))
      steps += Self.doubleSteps(component.ac)
    }
    let tables = tables
    blocks = scan.blocks.map { block in
      let component = scan.components[block.component]
      return Block(
        component: block.component, dc: block.dc, ac: block.ac,
        steps: tables.first { $0.lookup == block.ac }!.steps,
        columnOutside: (component.across - block.column + component.horizontal - 1)
          / component.horizontal,
        rowOutside: (component.down - block.row + component.vertical - 1) / component.vertical)
    }
    columnOutside = blocks.reduce(columns) { min($0, $1.columnOutside) }
    rowOutside = blocks.reduce(scan.rows) { min($0, $1.rowOutside) }
  }

  func read(
    _ units: Range<Int>, _ reader: inout JPEGBitReader,
    marking seen: UnsafeMutableBufferPointer<UInt8>,
    _ seenSteps: UnsafeMutableBufferPointer<UInt8>, _ unused: inout InlineArray<4, UInt64>,
    hidden: inout Bool
  ) -> Bool {
    lookups.withUnsafeBufferPointer { lookups in
      steps.withUnsafeBufferPointer { steps in
        blocks.withUnsafeBufferPointer { blocks in
          var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
          var (row, column) = units.lowerBound.quotientAndRemainder(dividingBy: columns)
          for _ in units {
            let isAtEdge = column >= columnOutside || row >= rowOutside
            for block in blocks {
              let (dc, ac) = (lookups.baseAddress! + block.dc, lookups.baseAddress! + block.ac)
              reader.fill()
              let place = reader.place(dc)
              seen[block.dc &+ place] = 1
              guard let difference = reader.difference(of: dc[place]) else { return false }
              if isAtEdge, column >= block.columnOutside || row >= block.rowOutside {
                reader.fill()
                hidden = hidden || difference != 0 || reader.entry(ac) & 0xFF != 0
              }
              predictions[block.component] &+= difference
              guard JPEGCoefficients.isAverage(predictions[block.component]) else { return false }
              let average: UInt64 = predictions[block.component] == 0 ? 0 : 1
              let found = Self.followAC(
                &reader, ac, steps.baseAddress! + block.steps,
                marking: seen.baseAddress! + block.ac, seenSteps.baseAddress! + block.steps)
              guard let found else { return false }
              unused[block.component] &= ~(found | average)
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

  /// Marks the codes of all steps that were taken.
  func mark(_ seenSteps: [UInt8], in seen: inout [UInt8]) {
    let width = JPEGHuffmanTable.lookupBits
    for table in tables {
      for bits in 0..<1 << width where seenSteps[table.steps + bits] != 0 {
        seen[table.lookup + bits] = 1
        let first = Self.step(lookups[table.lookup + bits])
        guard steps[table.steps + bits] != first else { continue }
        seen[table.lookup + bits << Int(first >> 8 & 0xFF) & (1 << width - 1)] = 1
      }
    }
  }

  private static let endOfBlock: UInt64 = 128

  /// What a code with its symbol leads to: a bit for each coefficient it fills with more than a zero,
  /// the nearest one lowest, << 16 | bits it takes in all << 8 | coefficients it fills; 0 for symbols that
  /// 8-bit pictures do not have, and for codes that are found further on.
  @inline(__always)
  private static func step(_ entry: UInt16) -> UInt64 {
    let (length, run, size) = (UInt64(entry >> 8), UInt64(entry >> 4 & 15), UInt64(entry & 15))
    guard length > 0, length <= 16, size <= 10 else { return 0 }
    if size > 0 { return 0x10000 << run | (length + size) << 8 | (run + 1) }
    return run == 0 ? length << 8 | endOfBlock : run == 15 ? length << 8 | 16 : 0
  }

  /// For each value of the next bits a step, and the step after it as well where its code can be
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
    _ reader: inout JPEGBitReader, _ lookup: UnsafePointer<UInt16>,
    _ steps: UnsafePointer<UInt64>, marking seen: UnsafeMutablePointer<UInt8>,
    _ seenSteps: UnsafeMutablePointer<UInt8>
  ) -> UInt64? {
    var filled: UInt64 = 1
    var found: UInt64 = 0
    while true {
      reader.fill()
      // Two looks take 52 bits at most.
      for _ in 0..<2 {
        let bits = reader.peek(JPEGHuffmanTable.lookupBits)
        let step = steps[bits]
        let sum = filled &+ step & 0xFF
        // Of two steps the second only counts when the first does not fill the block.
        if step != 0, sum & 127 < 64 {
          seenSteps[bits] = 1
          reader.skip(Int(truncatingIfNeeded: step >> 8 & 0xFF))
          found |= (step &>> 16) &<< filled
          if sum >= endOfBlock { return found }
          filled = sum
          continue
        }
        let place = reader.place(lookup)
        let single = Self.step(lookup[place])
        guard single != 0 else { return nil }
        seen[place] = 1
        reader.skip(Int(truncatingIfNeeded: single >> 8 & 0xFF))
        if single & endOfBlock != 0 { return found }
        found |= (single &>> 16) &<< filled
        filled &+= single & 0xFF
        if filled >= 64 { return filled == 64 ? found : nil }
      }
    }
  }
}
