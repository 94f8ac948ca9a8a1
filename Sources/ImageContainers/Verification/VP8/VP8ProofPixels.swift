/// Reconstructs the samples of a key frame (RFC 6386, 12 and 14), one macroblock at a time, to detect detail that
/// decoders don't show.
///
/// Pointers are used because a whole picture passes here. Each access is in bounds because of the calculations next to
/// it.
final class VP8ProofPixels {
  /// The coefficients of a macroblock in row order: 16 blocks of luma, 4 and 4 of chroma, and the block of DCs.
  let coefficients: UnsafeMutablePointer<Int16>
  static let coefficientCount = 25 * 16
  private(set) var detail = VP8ProofDetail()

  private let columns: Int
  private var isFirstRow = true
  /// The last row of the macroblocks above: 16 luma samples and 8 and 8 chroma samples each.
  private let above: UnsafeMutablePointer<UInt8>
  /// A macroblock with its neighbors above and to the left, for each plane.
  private let planes: UnsafeMutablePointer<UInt8>
  /// The samples of a plane before clamping.
  private let samples: UnsafeMutablePointer<Int16>

  /// The size of a row of `planes` in bytes.
  static let stride = 32
  /// The offsets of luma and chroma, which leave space for a row above and a column to the left.
  private static let origins = [stride + 8, stride * 18 + 8, stride * 28 + 8]

  /// The modes of a macroblock.
  struct Modes {
    /// DC 0, TM 1, vertical 2, horizontal 3.
    var luma: UInt8
    var chroma: UInt8
    /// The modes of the 16 blocks, if each has its own.
    var blocks = InlineArray<16, UInt8>(repeating: 0)
  }

  init(columns: Int) {
    self.columns = columns
    coefficients = .allocate(capacity: Self.coefficientCount)
    coefficients.initialize(repeating: 0, count: Self.coefficientCount)
    above = .allocate(capacity: columns * 32 + 32)
    above.initialize(repeating: 127, count: columns * 32 + 32)
    planes = .allocate(capacity: Self.stride * 40)
    planes.initialize(repeating: 127, count: Self.stride * 40)
    samples = .allocate(capacity: 256)
    samples.initialize(repeating: 0, count: 256)
  }

  deinit {
    coefficients.deallocate()
    above.deallocate()
    planes.deallocate()
    samples.deallocate()
  }

  /// Moves to the beginning of the next row of macroblocks.
  func startRow(isFirst: Bool) {
    isFirstRow = isFirst
    for (plane, origin) in Self.origins.enumerated() {
      let pixels = planes + origin
      for y in 0..<(plane == 0 ? 16 : 8) { pixels[y * Self.stride - 1] = 129 }
      pixels[-Self.stride - 1] = isFirst ? 127 : 129
      if isFirst {
        for x in 0..<20 { pixels[x - Self.stride] = 127 }
      }
    }
  }

  /// Reconstructs a macroblock from its modes and `coefficients`, and sets the coefficients to zero.
  ///
  /// - Parameters:
  ///   - column: the macroblock's position in its row.
  ///   - isSplit: `true` if luma has 16 modes.
  ///   - isFilled: `true` if any coefficient isn't zero.
  func add(
    column: Int, isSplit: Bool, modes: borrowing Modes, isFilled: Bool, steps: VP8ProofSteps
  ) {
    bringNeighbors(column)
    if isFilled { scale(isSplit, steps) }
    let luma = planes + Self.origins[0]
    if isSplit {
      addBlocks(luma, modes, column, isFilled)
    } else {
      predict(luma, size: 16, mode: modes.luma, column)
      addResidue(luma, blocks: 4, coefficients, isFilled)
    }
    // Without coefficients, there is no coded detail to hide.
    if isFilled { detail.checkPlane(samples, blocks: 4, steps, isSplit ? .blocks : .luma) }
    for plane in 1...2 {
      let pixels = planes + Self.origins[plane]
      predict(pixels, size: 8, mode: modes.chroma, column)
      addResidue(pixels, blocks: 2, coefficients + (12 + 4 * plane) * 16, isFilled)
      if isFilled { detail.checkPlane(samples, blocks: 2, steps, .chroma) }
    }
    if isFilled {
      coefficients.update(repeating: 0, count: Self.coefficientCount)
    }
    keepLastRow(column)
  }

  /// Copies the neighbors to the left and above.
  private func bringNeighbors(_ column: Int) {
    let last = above + column * 32
    for (plane, origin) in Self.origins.enumerated() {
      let pixels = planes + origin
      let size = plane == 0 ? 16 : 8
      if column > 0 {
        for y in -1..<size {
          pixels[y * Self.stride - 1] = pixels[y * Self.stride + size - 1]
        }
      }
      if !isFirstRow {
        let row = last + [0, 16, 24][plane]
        for x in 0..<size { pixels[x - Self.stride] = row[x] }
      }
    }
    guard !isFirstRow else { return }
    let luma = planes + Self.origins[0]
    for x in 0..<4 {
      luma[16 + x - Self.stride] = column == columns - 1 ? last[15] : last[32 + x]
    }
  }

  private func keepLastRow(_ column: Int) {
    let last = above + column * 32
    for (plane, origin) in Self.origins.enumerated() {
      let size = plane == 0 ? 16 : 8
      let row = planes + origin + (size - 1) * Self.stride
      (last + [0, 16, 24][plane]).update(from: row, count: size)
    }
  }

  /// Multiplies the coefficients by their steps and distributes the luma DCs.
  private func scale(_ isSplit: Bool, _ steps: VP8ProofSteps) {
    for block in 0..<24 {
      let step = block < 16 ? steps.luma : steps.chroma
      let values = coefficients + block * 16
      values[0] = Int16(truncatingIfNeeded: Int32(values[0]) &* step.x)
      for index in 1..<16 where values[index] != 0 {
        values[index] = Int16(truncatingIfNeeded: Int32(values[index]) &* step.y)
      }
    }
    guard !isSplit else { return }
    var values = InlineArray<16, Int32>(repeating: 0)
    let coded = coefficients + 24 * 16
    for index in 0..<16 {
      let step = index == 0 ? steps.lumaDC.x : steps.lumaDC.y
      values[index] = Int32(Int16(truncatingIfNeeded: Int32(coded[index]) &* step))
    }
    // The inverse Walsh-Hadamard transform (14.3).
    for i in 0..<4 {
      let a = values[i] &+ values[12 + i]
      let b = values[4 + i] &+ values[8 + i]
      let c = values[4 + i] &- values[8 + i]
      let d = values[i] &- values[12 + i]
      values[i] = a &+ b
      values[4 + i] = d &+ c
      values[8 + i] = a &- b
      values[12 + i] = d &- c
    }
    for i in 0..<4 {
      let dc = values[4 * i] &+ 3
      let a = dc &+ values[4 * i + 3]
      let b = values[4 * i + 1] &+ values[4 * i + 2]
      let c = values[4 * i + 1] &- values[4 * i + 2]
      let d = dc &- values[4 * i + 3]
      for (x, sum) in [a &+ b, d &+ c, a &- b, d &- c].enumerated() {
        coefficients[(4 * i + x) * 16] = Int16(truncatingIfNeeded: sum >> 3)
      }
    }
  }
}

// MARK: - Predictions

extension VP8ProofPixels {
  /// Predicts a whole plane (12.2 and 12.3).
  private func predict(
    _ pixels: UnsafeMutablePointer<UInt8>, size: Int, mode: UInt8, _ column: Int
  ) {
    let stride = Self.stride
    switch mode {
    case 1:
      let corner = Int(pixels[-stride - 1])
      for y in 0..<size {
        let left = Int(pixels[y * stride - 1]) &- corner
        for x in 0..<size {
          pixels[y * stride + x] = UInt8(clamping: left &+ Int(pixels[x - stride]))
        }
      }
    case 2:
      for y in 0..<size { (pixels + y * stride).update(from: pixels - stride, count: size) }
    case 3:
      for y in 0..<size {
        (pixels + y * stride).update(repeating: pixels[y * stride - 1], count: size)
      }
    default:
      var sum = 0
      var count = 0
      if !isFirstRow {
        for x in 0..<size { sum += Int(pixels[x - stride]) }
        count += size
      }
      if column > 0 {
        for y in 0..<size { sum += Int(pixels[y * stride - 1]) }
        count += size
      }
      let average = count == 0 ? 128 : UInt8((sum + count / 2) / count)
      for y in 0..<size { (pixels + y * stride).update(repeating: average, count: size) }
    }
  }

  /// Reconstructs luma block by block (12.3).
  private func addBlocks(
    _ luma: UnsafeMutablePointer<UInt8>, _ modes: borrowing Modes, _ column: Int,
    _ isFilled: Bool
  ) {
    let stride = Self.stride
    // All four rows of blocks use the samples above and to the right of the macroblock.
    for row in [3, 7, 11] {
      (luma + row * stride + 16).update(from: luma - stride + 16, count: 4)
    }
    for block in 0..<16 {
      let x = block % 4 * 4
      let y = block / 4 * 4
      let pixels = luma + y * stride + x
      Self.predictBlock(pixels, mode: modes.blocks[block])
      residue(pixels, coefficients + block * 16, samples + y * 16 + x, 16, isFilled)
    }
  }

  private static func predictBlock(_ pixels: UnsafeMutablePointer<UInt8>, mode: UInt8) {
    let stride = Self.stride
    // From bottom left around the corner to top right.
    var edge = InlineArray<13, Int>(repeating: 0)
    for index in 0..<4 { edge[index] = Int(pixels[(3 - index) * stride - 1]) }
    for index in 4..<13 { edge[index] = Int(pixels[index - 5 - stride]) }
    func put(_ x: Int, _ y: Int, _ value: Int) { pixels[y * stride + x] = UInt8(value) }
    func two(_ index: Int) -> Int { (edge[index] + edge[index + 1] + 1) >> 1 }
    func three(_ index: Int) -> Int {
      (edge[index - 1] + 2 * edge[index] + edge[index + 1] + 2) >> 2
    }
    switch mode {
    case 0:
      var sum = 4
      for index in 0..<4 { sum += edge[index] + edge[5 + index] }
      for y in 0..<4 { for x in 0..<4 { put(x, y, sum >> 3) } }
    case 1:
      for y in 0..<4 {
        for x in 0..<4 {
          put(x, y, min(255, max(0, edge[3 - y] + edge[5 + x] - edge[4])))
        }
      }
    case 2: for x in 0..<4 { for y in 0..<4 { put(x, y, three(5 + x)) } }
    case 3:
      for y in 0..<4 {
        let value = y == 3 ? (edge[1] + 3 * edge[0] + 2) >> 2 : three(3 - y)
        for x in 0..<4 { put(x, y, value) }
      }
    case 4: for y in 0..<4 { for x in 0..<4 { put(x, y, three(4 - y + x)) } }
    case 5:
      for x in 0..<4 {
        put(x, 0, two(4 + x))
        put(x, 1, three(4 + x))
      }
      for x in 1..<4 {
        put(x, 2, two(3 + x))
        put(x, 3, three(3 + x))
      }
      put(0, 2, three(3))
      put(0, 3, three(2))
    case 6:
      for y in 0..<4 {
        for x in 0..<4 where x + y < 6 { put(x, y, three(6 + x + y)) }
      }
      put(3, 3, (edge[11] + 3 * edge[12] + 2) >> 2)
    case 7:
      for x in 0..<4 {
        put(x, 0, two(5 + x))
        put(x, 1, three(6 + x))
      }
      for x in 0..<3 {
        put(x, 2, two(6 + x))
        put(x, 3, three(7 + x))
      }
      put(3, 2, three(10))
      put(3, 3, three(11))
    case 8:
      for y in 0..<4 {
        put(0, y, two(3 - y))
        put(1, y, three(4 - y))
      }
      for y in 1..<4 {
        put(2, y, two(4 - y))
        put(3, y, three(5 - y))
      }
      put(2, 0, three(5))
      put(3, 0, three(6))
    default:
      for y in 0..<4 {
        for x in 0..<4 {
          let place = y + x / 2
          let value: Int
          switch (place, x % 2) {
          case (0...2, 0): value = two(2 - place)
          case (0...1, _): value = three(2 - place)
          case (2, _): value = (edge[1] + 3 * edge[0] + 2) >> 2
          default: value = edge[0]
          }
          put(x, y, value)
        }
      }
    }
  }
}

// MARK: - Residues

extension VP8ProofPixels {
  /// Adds the residue of all blocks to the prediction of a plane.
  private func addResidue(
    _ pixels: UnsafeMutablePointer<UInt8>, blocks: Int,
    _ coefficients: UnsafeMutablePointer<Int16>, _ isFilled: Bool
  ) {
    for block in 0..<blocks * blocks {
      let x = block % blocks * 4
      let y = block / blocks * 4
      residue(
        pixels + y * Self.stride + x, coefficients + block * 16,
        samples + y * blocks * 4 + x, blocks * 4, isFilled)
    }
  }

  /// Adds the inverse transform of a block to its prediction (14.4), and stores the sums before and after clamping.
  @inline(__always)
  private func residue(
    _ pixels: UnsafeMutablePointer<UInt8>, _ coefficients: UnsafeMutablePointer<Int16>,
    _ sums: UnsafeMutablePointer<Int16>, _ width: Int, _ isFilled: Bool
  ) {
    func row(_ y: Int) -> SIMD4<Int32> {
      SIMD4(
        truncatingIfNeeded: UnsafeRawPointer(pixels + y &* Self.stride)
          .loadUnaligned(as: SIMD4<UInt8>.self))
    }
    func put(_ sum: SIMD4<Int32>, _ y: Int) {
      UnsafeMutableRawPointer(sums + y &* width)
        .storeBytes(of: SIMD4<Int16>(truncatingIfNeeded: sum), as: SIMD4<Int16>.self)
      guard isFilled else { return }
      let clamped = sum.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
      UnsafeMutableRawPointer(pixels + y &* Self.stride)
        .storeBytes(of: SIMD4<UInt8>(truncatingIfNeeded: clamped), as: SIMD4<UInt8>.self)
    }
    guard isFilled else {
      for y in 0..<4 { put(row(y), y) }
      return
    }
    func coded(_ y: Int) -> SIMD4<Int32> {
      SIMD4(
        truncatingIfNeeded: UnsafeRawPointer(coefficients + 4 &* y)
          .loadUnaligned(as: SIMD4<Int16>.self))
    }
    func large(_ value: SIMD4<Int32>) -> SIMD4<Int32> { (value &* 20_091) &>> 16 &+ value }
    func small(_ value: SIMD4<Int32>) -> SIMD4<Int32> { (value &* 35_468) &>> 16 }
    typealias Rows = (SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>)
    func pass(_ rows: Rows) -> Rows {
      let a = rows.0 &+ rows.2
      let b = rows.0 &- rows.2
      let c = small(rows.1) &- large(rows.3)
      let d = large(rows.1) &+ small(rows.3)
      return (a &+ d, b &+ c, b &- c, a &- d)
    }
    func turned(_ r: Rows) -> Rows {
      (
        SIMD4(r.0.x, r.1.x, r.2.x, r.3.x), SIMD4(r.0.y, r.1.y, r.2.y, r.3.y),
        SIMD4(r.0.z, r.1.z, r.2.z, r.3.z), SIMD4(r.0.w, r.1.w, r.2.w, r.3.w)
      )
    }
    var down = turned(pass((coded(0), coded(1), coded(2), coded(3))))
    down.0 &+= 4
    let across = turned(pass(down))
    put(row(0) &+ across.0 &>> 3, 0)
    put(row(1) &+ across.1 &>> 3, 1)
    put(row(2) &+ across.2 &>> 3, 2)
    put(row(3) &+ across.3 &>> 3, 3)
  }
}
