/// Writes a picture again as one baseline scan. The coefficients stay the same, and so do the pixels.
extension JPEGCoefficients {
  /// Returns the finished file. It gets Huffman tables of its own: one pair for the first component, and one for the
  /// others. Blocks that only pad units are coded with the previous DC coefficient and with AC coefficients of zero.
  ///
  /// - Returns: `nil` if a coefficient is larger than 8-bit pictures have, or a quantization step of 0 hides it.
  func file() -> [UInt8]? {
    var frequencies = [Int](repeating: 0, count: 4 * 256)
    let isCodable = frequencies.withUnsafeMutableBufferPointer { frequencies in
      var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
      return code(0..<columns * rows, &predictions) { table, symbol, _, _ in
        frequencies[table &* 256 &+ symbol] &+= 1
      }
    }
    let steps = JPEGQuantization.finished(zip(planes, used).map { ($0.quantization ?? [], $1) })
    guard isCodable, let steps else { return nil }
    let tables = (0..<min(4, 2 * planes.count)).compactMap {
      JPEGHuffmanTable.optimal(for: Array(frequencies[$0 * 256..<($0 + 1) * 256]))
    }
    let components = planes.enumerated().map { index, plane in
      JPEGHead.Component(
        id: frame.components[index].id, horizontal: plane.horizontal, vertical: plane.vertical,
        quantization: steps[index], dc: tables[index == 0 ? 0 : 2],
        ac: tables[index == 0 ? 1 : 3], selectors: index == 0 ? 0x00 : 0x11)
    }
    var file = JPEGHead(
      width: frame.width, height: frame.height, color: color, components: components,
      restartInterval: 0
    ).bytes
    JPEGIntervals.append(stuffing: data(tables.flatMap(\.codes), frequencies), to: &file)
    file += [0xFF, JPEGMarker.eoi]
    return file
  }

  /// Returns the entropy-coded data without stuffed zeros.
  ///
  /// - Parameters:
  ///   - codes: `JPEGHuffmanTable.codes` of all tables, one after another.
  ///   - frequencies: the number of uses of each code.
  private func data(_ codes: [UInt32], _ frequencies: [Int]) -> ArraySlice<UInt8> {
    let bits = zip(codes.indices, codes).reduce(0) { sum, code in
      sum + frequencies[code.0] * (Int(code.1 & 0xFF) + code.0 & 15)
    }
    var writer = JPEGBitWriter(capacity: 64)
    writer.reserve(bits)
    var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
    writer.write { shared in
      // A local copy stays in registers.
      var pen = shared
      defer { shared = pen }
      codes.withUnsafeBufferPointer { codes in
        _ = code(0..<columns * rows, &predictions) { table, symbol, bits, size in
          let code = codes[table &* 256 &+ symbol]
          pen.put(
            UInt64(code >> 8) &<< UInt64(truncatingIfNeeded: size) | bits,
            Int(code & 0xFF) &+ size)
        }
      }
    }
    return writer.finish()
  }

  /// Calls `put` with each code of these units: its table (0 and 2 for DC, 1 and 3 for AC), its symbol, and the bits
  /// that follow it (T.81, F.1.2).
  ///
  /// - Returns: `false` if a number takes more bits than 8-bit pictures have.
  @inline(__always)
  private func code(
    _ units: Range<Int>, _ predictions: inout InlineArray<4, Int>,
    _ put: (_ table: Int, _ symbol: Int, _ bits: UInt64, _ size: Int) -> Void
  ) -> Bool {
    let shapes = planes.map { ($0.start, $0.across, $0.down, $0.horizontal, $0.vertical) }
    let isPacked = blocks.isPacked
    return (isPacked ? blocks.packed : blocks.values).withUnsafeBufferPointer { values in
      blocks.filled.withUnsafeBufferPointer { filled in
        shapes.withUnsafeBufferPointer { shapes in
          var (row, column) = units.lowerBound.quotientAndRemainder(dividingBy: columns)
          let columns = columns
          for _ in units {
            for (index, (start, across, down, horizontal, vertical)) in shapes.enumerated() {
              let table = index == 0 ? 0 : 2
              for y in row * vertical..<(row + 1) * vertical {
                for x in column * horizontal..<(column + 1) * horizontal {
                  guard x < across, y < down else {
                    put(table, 0, 0, 0)
                    put(table + 1, 0, 0, 0)
                    continue
                  }
                  let block = start + y * across + x
                  let average = Int(blocks.dcAverages[block])
                  guard Self.isAverage(average) else { return false }
                  let difference = average - predictions[index]
                  predictions[index] = average
                  let size = Self.size(difference)
                  put(table, size, Self.bits(difference, size), size)
                  guard
                    Self.codeAC(
                      filled[block],
                      values.baseAddress! + (isPacked ? blocks.starts[block] : block * 64),
                      isPacked: isPacked, table: table + 1, put)
                  else { return false }
                }
              }
            }
            column += 1
            if column == columns {
              row = row + 1
              column = 0
            }
          }
          return true
        }
      }
    }
  }

  @inline(__always)
  private static func codeAC(
    _ filled: UInt64, _ values: UnsafePointer<Int16>, isPacked: Bool, table: Int,
    _ put: (_ table: Int, _ symbol: Int, _ bits: UInt64, _ size: Int) -> Void
  ) -> Bool {
    var left = filled
    var last = 0
    var next = 0
    while left != 0 {
      let place = left.trailingZeroBitCount
      left &= left &- 1
      var run = place &- last &- 1
      last = place
      while run > 15 {
        put(table, 0xF0, 0, 0)
        run &-= 16
      }
      let value = Int(values[isPacked ? next : place])
      next &+= 1
      let size = size(value)
      guard size <= 10 else { return false }
      put(table, run &<< 4 | size, bits(value, size), size)
    }
    if last < 63 { put(table, 0, 0, 0) }
    return true
  }

  /// Returns `true` if 8-bit pictures can have this DC coefficient, which is eight times the mean of a block's samples
  /// after 128 is subtracted. Differences of such coefficients take at most 11 bits in any order of blocks.
  @inline(__always)
  static func isAverage(_ coefficient: Int) -> Bool { -1024...1023 ~= coefficient }

  /// Returns the number of bits of a number without its sign.
  @inline(__always)
  private static func size(_ number: Int) -> Int { Int.bitWidth - abs(number).leadingZeroBitCount }

  /// Returns a number in `size` bits. The lower half of the values encodes negative numbers.
  @inline(__always)
  private static func bits(_ number: Int, _ size: Int) -> UInt64 {
    let bits = UInt64(truncatingIfNeeded: number < 0 ? number - 1 : number)
    return bits & (1 &<< UInt64(truncatingIfNeeded: size) &- 1)
  }
}
