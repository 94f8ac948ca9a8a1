/// The results of reading a JPEG's scan code by code to its end: the table entries that it uses, and the average of
/// each block.
struct JPEGProofData {
  /// For each Huffman table and symbol, `true` if the symbol occurs.
  private(set) var symbols: [[Bool]] = []
  /// For each component, a bit for each frequency with a coefficient other than zero, in zigzag order. All bits are set
  /// if the quantization table is a standard one, which needs no proof.
  private var frequencies: [UInt64] = []
  /// The averages of all blocks, in the order of the data.
  private(set) var dcAverages: [UInt8]

  /// Reads and verifies the scan of a file.
  ///
  /// - Throws: `ProofError` at the first byte that doesn't belong to a visible block.
  init(_ header: JPEGProofHeader, of bytes: [UInt8]) throws(ProofError) {
    let units = header.columns * header.rows
    let count = units * header.components.reduce(0) { $0 + $1.horizontal * $1.vertical }
    // Each block takes at least two codes of a bit or more, so this bounds the memory by the size of the file.
    guard count <= bytes.count * 4 else {
      throw ProofError("jpeg-data-short", offset: bytes.count)
    }
    dcAverages = [UInt8](repeating: 0, count: count)
    let reading = Reading(header)
    var used = Reading.Used(header)
    // For each step of `JPEGProofCodes`, 1 if the data uses it.
    var taken = [UInt8](
      repeating: 0, count: header.huffman.count { !$0.isDC } * JPEGProofCodes.size)
    var position = header.dataStart
    for (piece, first) in stride(from: 0, to: units, by: header.interval).enumerated() {
      let some = first..<min(first + header.interval, units)
      var bits = JPEGBits(at: position)
      var samples = dcAverages.mutableSpan
      var taken = taken.mutableSpan
      let problem = reading.readBlocks(some, &bits, of: bytes.span.bytes, &samples, &taken, &used)
      if let problem { throw ProofError(problem, offset: bits.position) }
      let isLast = some.upperBound == units
      position = try bits.end(bytes, marker: isLast ? 0xD9 : 0xD0 + UInt8(piece % 8))
    }
    guard position == bytes.count else { throw ProofError("jpeg-after-eoi", offset: position) }
    symbols = reading.symbols(used, taken)
    frequencies = header.components.indices.map { used.frequencies[$0] }
  }

  /// Returns the frequencies that use a quantization table, as the bits of all its components.
  func frequencies(of table: Int, _ header: JPEGProofHeader) -> UInt64 {
    zip(header.components, frequencies).reduce(0) {
      $1.0.quantization == table ? $0 | $1.1 : $0
    }
  }
}

extension JPEGProofData {
  /// Reads units. Holds values for each block of a unit that are computed once before the loop.
  private struct Reading {
    /// The table entries that were used so far.
    struct Used {
      /// For each component, a bit for each frequency, as in `JPEGProofData`.
      var frequencies: InlineArray<4, UInt64>
      /// For each DC table, a bit for each symbol that a lookup found.
      var differences: InlineArray<8, UInt32>
      /// For each table, 256 flags for the symbols that were found on the slow path, without a lookup.
      var symbols: [Bool]

      init(_ header: JPEGProofHeader) {
        frequencies = .init(repeating: 0)
        differences = .init(repeating: 0)
        symbols = .init(repeating: false, count: 256 * header.huffman.count)
        for (index, component) in header.components.enumerated()
        where header.quantization[component.quantization].isStandard {
          frequencies[index] = .max
        }
      }
    }

    struct Block {
      /// Its component, and the quantization step of DC.
      let component, quantization: Int
      /// The number of unit columns and rows in which the block is visible. In later ones, it's outside of the picture.
      let shownColumns, shownRows: Int
      /// The indexes of its Huffman tables, and the indexes of their first entries in `JPEGProofCodes`.
      let dc, ac, differences, steps: Int
      /// The index of its quantization table, and the index of that table's first bound.
      let table, bounds: Int
    }

    /// The steps of a block's AC coefficients, kept because its values are only computed if it may hide detail.
    struct FoundSteps {
      struct Found {
        let step: JPEGProofCodes.Step
        /// The bits from the step's first code on, the next one highest.
        let bits: UInt64
        /// The place in zigzag order after the previous step.
        let place: Int
      }

      /// A block has at most 64: each step fills one of 63 places or more, apart from one that only ends the block.
      let steps = UnsafeMutablePointer<Found>.allocate(capacity: 64)
      var count = 0

      @inline(__always)
      mutating func add(_ step: JPEGProofCodes.Step, _ bits: JPEGBits, at place: Int) {
        steps[count] = Found(step: step, bits: bits.bits, place: place)
        count &+= 1
      }
    }

    private let columns: Int
    private let blocks: [Block]
    private let tables: [JPEGProofHuffman]
    private let codes: JPEGProofCodes
    private let detail: JPEGProofDetail

    init(_ header: JPEGProofHeader) {
      columns = header.columns
      tables = header.huffman
      let codes = JPEGProofCodes(tables)
      self.codes = codes
      detail = JPEGProofDetail(header.quantization)
      blocks = header.components.enumerated().flatMap { index, component in
        (0..<component.vertical * component.horizontal).map { number in
          let (row, column) = number.quotientAndRemainder(dividingBy: component.horizontal)
          return Block(
            component: index,
            quantization: header.quantization[component.quantization].values[0],
            shownColumns: (component.shownAcross - column + component.horizontal - 1)
              / component.horizontal,
            shownRows: (component.shownDown - row + component.vertical - 1) / component.vertical,
            dc: component.dc, ac: component.ac, differences: codes.start(of: component.dc),
            steps: codes.start(of: component.ac), table: component.quantization,
            bounds: component.quantization * JPEGProofDetail.boundCount)
        }
      }
    }

    /// Returns for each table and symbol `true` if the symbol occurs.
    func symbols(_ used: Used, _ taken: [UInt8]) -> [[Bool]] {
      tables.indices.map { index in
        var symbols = Array(used.symbols[index * 256..<(index + 1) * 256])
        if tables[index].isDC {
          for symbol in 0...11 where used.differences[index] >> UInt32(symbol) & 1 == 1 {
            symbols[symbol] = true
          }
        } else {
          codes.mark(index, taken: taken, in: &symbols)
        }
        return symbols
      }
    }

    /// Reads the units of a restart interval.
    ///
    /// - Returns: the problem, such as `jpeg-code`, or `nil` if the data is valid.
    func readBlocks(
      _ units: Range<Int>, _ reader: inout JPEGBits, of file: RawSpan,
      _ samples: inout MutableSpan<UInt8>, _ taken: inout MutableSpan<UInt8>, _ used: inout Used
    ) -> String? {
      var bits = reader
      defer { reader = bits }
      let differences = codes.differences.span
      let steps = codes.steps.span
      let places = codes.places.span
      let bounds = detail.bounds.span
      let blocks = blocks.span
      var found = FoundSteps()
      defer { found.steps.deallocate() }
      var predictions: InlineArray<4, Int> = .init(repeating: 0)
      var next = units.lowerBound * blocks.count
      var (row, column) = units.lowerBound.quotientAndRemainder(dividingBy: columns)
      for _ in units {
        for index in blocks.indices {
          let block = unsafe blocks[unchecked: index]
          guard
            let difference = difference(block, &bits, of: file, differences, &used)
          else { return "jpeg-code" }
          let prediction = predictions[block.component] &+ difference
          predictions[block.component] = prediction
          // 8-bit samples stay within this range. A decoder clips values beyond it, so they could hide something.
          guard prediction >= -1_024, prediction < 1_024 else { return "jpeg-dc-range" }
          if column >= block.shownColumns || row >= block.shownRows {
            guard difference == 0, find(block.ac, &bits, of: file, &used) == 0 else {
              return "jpeg-hidden-block"
            }
          } else {
            if prediction != 0 { used.frequencies[block.component] |= 1 }
            let average = prediction &* block.quantization
            found.count = 0
            var reach = 0
            let isFilled: Bool
            if used.frequencies[block.component] == .max {
              isFilled = coefficients(block, &bits, of: file, steps, &used, &found) {
                step, index, place in
                unsafe taken[unchecked: index] = 1
                let end = block.bounds &+ (place &+ step.filled) & 127
                reach &+= step.reach &* (unsafe bounds[unchecked: end])
              } single: { size, place in
                reach &+= (1 &<< size &- 1) &* bounds[block.bounds &+ place &+ 1]
              }
            } else {
              var filled: UInt64 = 0
              isFilled = coefficients(block, &bits, of: file, steps, &used, &found) {
                step, index, place in
                unsafe taken[unchecked: index] = 1
                let some = UInt64(unsafe places[unchecked: index])
                filled |= some &<< UInt64(truncatingIfNeeded: place)
                let end = block.bounds &+ (place &+ step.filled) & 127
                reach &+= step.reach &* (unsafe bounds[unchecked: end])
              } single: { size, place in
                filled |= (size > 0 ? 1 : 0) &<< UInt64(truncatingIfNeeded: place)
                reach &+= (1 &<< size &- 1) &* bounds[block.bounds &+ place &+ 1]
              }
              used.frequencies[block.component] |= filled
            }
            guard isFilled else { return "jpeg-code" }
            if reach > JPEGProofDetail.room(average),
              hidesDetail(block, average: average, found)
            {
              return "jpeg-hidden-detail"
            }
          }
          // 1,024 is the middle of the range of samples (128 × 8), and 4 rounds.
          let value = (prediction &* block.quantization &+ 1028) >> 3
          samples[next] = UInt8(truncatingIfNeeded: max(0, min(255, value)))
          next &+= 1
        }
        guard !bits.isOverrun else { return "jpeg-data-short" }
        column += 1
        if column == columns {
          row = row + 1
          column = 0
        }
      }
      return nil
    }

    /// Reads a difference of DC (T.81, F.2.2.1), or returns `nil` if the code is invalid.
    @inline(__always)
    private func difference(
      _ block: Block, _ bits: inout JPEGBits, of file: RawSpan, _ lookup: Span<Int32>,
      _ used: inout Used
    ) -> Int? {
      bits.fill(file)
      let entry = unsafe lookup[unchecked: block.differences &+ bits.peek(JPEGProofCodes.width)]
      if entry != 0 {
        used.differences[block.dc] |= 1 &<< UInt32(truncatingIfNeeded: entry >> 6 & 15)
        bits.skip(Int(entry & 63))
        let left = Int(entry >> 12 & 15)
        guard left > 0 else { return Int(entry >> 16) }
        defer { bits.skip(left) }
        return bits.number(left, after: 0)
      }
      guard let symbol = find(block.dc, &bits, of: file, &used), symbol <= 11 else { return nil }
      guard symbol > 0 else { return 0 }
      bits.fill(file)
      defer { bits.skip(Int(symbol)) }
      return bits.number(Int(symbol), after: 0)
    }

    /// Reads a code of any length on the slow path, and marks its symbol as used. Returns `nil` if it's invalid.
    @inline(__always)
    private func find(
      _ table: Int, _ bits: inout JPEGBits, of file: RawSpan, _ used: inout Used
    ) -> UInt8? {
      bits.fill(file)
      guard let (length, symbol) = found(table, bits.peek(16), &used) else { return nil }
      bits.skip(length)
      return symbol
    }

    /// Looks up a code in the next 16 bits, and marks its symbol as used.
    @inline(never)
    private func found(
      _ table: Int, _ bits: Int, _ used: inout Used
    ) -> (length: Int, symbol: UInt8)? {
      let entry = tables[table].table.entry(bits)
      guard entry != 0 else { return nil }
      used.symbols[table * 256 + Int(entry & 0xFF)] = true
      return (Int(entry >> 8), UInt8(truncatingIfNeeded: entry))
    }

    /// Reads a block's AC coefficients (T.81, F.2.2.2).
    ///
    /// - Parameters:
    ///   - found: The steps, for `hidesDetail`.
    ///   - each: A closure for each step. It receives the step, its index, and its first place.
    ///   - single: A closure for each coefficient whose code was read on the slow path. It receives the size of the
    ///     value in bits, and the place.
    /// - Returns: `false` if a code is invalid, or the coefficients don't end with the block.
    @inline(__always)
    private func coefficients(
      _ block: Block, _ bits: inout JPEGBits, of file: RawSpan,
      _ steps: Span<JPEGProofCodes.Step>, _ used: inout Used, _ found: inout FoundSteps,
      each: (JPEGProofCodes.Step, _ index: Int, _ place: Int) -> Void,
      single: (_ size: Int, _ place: Int) -> Void
    ) -> Bool {
      var filled = 1
      while true {
        bits.fill(file)
        for _ in 0..<3 {
          let index = block.steps &+ bits.peek(JPEGProofCodes.width)
          let step = unsafe steps[unchecked: index]
          let sum = filled &+ step.filled
          // Read a single code if the next one is too long for a lookup, or if the step reaches the last place. Its
          // second code may then belong to the next block.
          guard sum & 127 < 64 else {
            guard let symbol = find(block.ac, &bits, of: file, &used) else { return false }
            if symbol == 0 { return true }
            let size = Int(symbol & 15)
            filled &+= Int(symbol >> 4) &+ 1
            guard filled <= 64 else { return false }
            bits.fill(file)
            found.add(.single(size), bits, at: filled &- 1)
            single(size, filled &- 1)
            bits.skip(size)
            if filled == 64 { return true }
            break
          }
          found.add(step, bits, at: filled)
          each(step, index, filled)
          bits.skip(step.bits)
          if sum >= 128 { return true }
          filled = sum
        }
      }
    }

    /// Returns `true` if a block hides detail.
    ///
    /// - Parameter found: The steps of its AC coefficients.
    @inline(never)
    private func hidesDetail(
      _ block: Block, average: Int, _ found: FoundSteps
    ) -> Bool {
      var rows = detail.rows(average: average)
      for some in UnsafeBufferPointer(start: found.steps, count: found.count) {
        let step = some.step
        let place = some.place &+ step.first >> 4
        if step.hasFirst {
          let value = JPEGBits.number(step.first & 15, after: step.beforeFirst, in: some.bits)
          detail.add(value, at: place, block.table, to: &rows)
        }
        if step.beforeSecond > 0 {
          let value = JPEGBits.number(step.second & 15, after: step.beforeSecond, in: some.bits)
          detail.add(value, at: place &+ 1 &+ step.second >> 4, block.table, to: &rows)
        }
      }
      return detail.isHidden(in: rows, block.table)
    }
  }
}

extension JPEGBits {
  /// Checks that a restart interval ends here: the rest of the last byte is ones, and the marker follows.
  ///
  /// - Returns: The offset after the marker.
  fileprivate func end(_ file: [UInt8], marker: UInt8) throws(ProofError) -> Int {
    guard left >= 0 else { throw ProofError("jpeg-data-short", offset: position) }
    guard left < 8, position + 1 < file.count, file[position] == 0xFF,
      file[position + 1] == marker
    else { throw ProofError("jpeg-after-last-code", offset: position) }
    guard left == 0 || peek(left) == 1 << left - 1 else {
      throw ProofError("jpeg-padding", offset: position - 1)
    }
    return position + 2
  }
}
