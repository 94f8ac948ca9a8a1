/// Verifies each byte of a JPEG: a header in the one form that says nothing besides, and one scan
/// of all components, Huffman-coded, read code by code to its end (ITU-T T.81).
///
/// Reads the header with code of its own. `finish` has the cleaner write a new one, and reads that.
enum JPEGProof {
  static func verify(_ bytes: [UInt8]) throws(ProofFailure) -> VerifiedPicture {
    let header = try JPEGProofHeader(bytes)
    let data = try JPEGProofData(header, of: bytes)
    try data.checkTables(of: header)
    return data.picture(header)
  }

  /// Verifies a JPEG whose tables may hold entries that nothing uses, and writes its header without those.
  ///
  /// The data is read once: its codes and coefficients mean the same with the new tables.
  static func finish(
    _ bytes: [UInt8]
  ) throws(ProofFailure) -> (bytes: [UInt8], picture: VerifiedPicture) {
    let header = try JPEGProofHeader(bytes)
    let data = try JPEGProofData(header, of: bytes)
    do throws(ProofFailure) {
      try data.checkTables(of: header)
      return (bytes, data.picture(header))
    } catch {
      guard let finished = try? data.finished(bytes, header) else { throw error }
      try data.checkTables(of: JPEGProofHeader(finished))
      return (finished, data.picture(header))
    }
  }
}

/// Reads the header's numbers, each of them checked against the file's end.
struct JPEGProofCursor {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the second byte of the marker that must stand here; takes nothing.
  func marker() throws(ProofFailure) -> UInt8 {
    guard offset + 1 < bytes.count else { throw ProofFailure("jpeg-short", offset: offset) }
    guard bytes[offset] == 0xFF else { throw ProofFailure("jpeg-stray-bytes", offset: offset) }
    return bytes[offset + 1]
  }

  mutating func byte() throws(ProofFailure) -> Int {
    guard offset < bytes.count else { throw ProofFailure("jpeg-short", offset: offset) }
    defer { offset += 1 }
    return Int(bytes[offset])
  }

  mutating func number() throws(ProofFailure) -> Int { try byte() << 8 | byte() }

  /// Takes bytes that can only be these.
  mutating func expect(_ expected: [UInt8], _ what: String) throws(ProofFailure) {
    for byte in expected {
      let place = offset
      guard try self.byte() == Int(byte) else { throw ProofFailure(what, offset: place) }
    }
  }
}

extension JPEGProofData {
  /// Checks that tables say nothing but what the data uses of them.
  fileprivate func checkTables(of header: JPEGProofHeader) throws(ProofFailure) {
    for (index, table) in header.quantization.enumerated() {
      try table.check(used: frequencies(of: index, header))
    }
    for (index, table) in header.huffman.enumerated() { try table.check(used: symbols[index]) }
  }

  /// Returns the file with tables that hold only what its data uses; nil if there is no Huffman table that
  /// leaves the used codes as they are.
  fileprivate func finished(
    _ bytes: [UInt8], _ header: JPEGProofHeader
  ) throws(ContainerError) -> [UInt8]? {
    guard let scan = try JPEGScan(bytes, limits: .unbounded) else { return nil }
    let steps = header.quantization.enumerated().map { index, table in
      table.finished(used: frequencies(of: index, header))
    }
    let codes = header.huffman.enumerated().map { $1.finished(used: symbols[$0]) }
    var components: [JPEGScan.Component] = []
    for (old, component) in zip(scan.components, header.components) {
      guard let dc = codes[component.dc], let ac = codes[component.ac] else { return nil }
      components.append(
        JPEGScan.Component(
          horizontal: old.horizontal, vertical: old.vertical,
          quantization: steps[component.quantization], dc: dc, ac: ac, selectors: old.selectors))
    }
    return JPEGContainer.file(scan.head(components), data: bytes[scan.data])
  }

  fileprivate func picture(_ header: JPEGProofHeader) -> VerifiedPicture {
    VerifiedPicture(
      width: header.width, height: header.height,
      reduced: header.isYCbCr ? eighth(header) : nil)
  }

  /// Returns an eighth of the picture: a pixel for each block of 8 × 8, chroma repeated as often as
  /// it takes.
  private func eighth(_ header: JPEGProofHeader) -> ReducedPicture {
    let width = (header.width + 7) / 8
    let height = (header.height + 7) / 8
    let bands = header.components.count
    var picture = ReducedPicture(
      width: width, height: height, bands: bands,
      samples: [UInt8](repeating: 0, count: width * height * bands))
    let across = header.components.reduce(1) { max($0, $1.horizontal) }
    let down = header.components.reduce(1) { max($0, $1.vertical) }
    // Averages lie unit by unit, and in those block by block.
    let sizes = header.components.map { $0.horizontal * $0.vertical }
    let unit = sizes.reduce(0, +)
    // How far into a row of units the block lies that a pixel takes.
    let columns = header.components.map { component in
      (0..<width).map { x in
        let (column, block) = (x * component.horizontal / across)
          .quotientAndRemainder(dividingBy: component.horizontal)
        return column * unit + block
      }
    }
    var samples = picture.samples.mutableSpan
    for y in 0..<height {
      let rows = header.components.enumerated().map { index, component in
        let (row, block) = (y * component.vertical / down)
          .quotientAndRemainder(dividingBy: component.vertical)
        return row * header.columns * unit + sizes[..<index].reduce(0, +)
          + block * component.horizontal
      }
      if bands == 1 {
        for x in 0..<width { samples[y * width + x] = averages[rows[0] + x] }
      } else {
        colored(
          rows, columns[0], columns[1], columns[2], into: &samples, at: y * width * 3)
      }
    }
    return picture
  }

  /// Returns a row of red, green and blue (JFIF 1.02, page 3, in steps of 1/65,536).
  private func colored(
    _ rows: [Int], _ luma: [Int], _ blue: [Int], _ red: [Int],
    into samples: inout MutableSpan<UInt8>, at start: Int
  ) {
    let averages = averages.span
    let lumaRow = rows[0]
    let blueRow = rows[1]
    let redRow = rows[2]
    var place = start
    for x in luma.indices {
      let y = Int(averages[lumaRow &+ luma[x]])
      let cb = Int(averages[blueRow &+ blue[x]]) &- 128
      let cr = Int(averages[redRow &+ red[x]]) &- 128
      samples[place] = Self.clipped(y &+ (91_881 &* cr &+ 32_768) >> 16)
      samples[place &+ 1] = Self.clipped(y &- (22_554 &* cb &+ 46_802 &* cr &+ 32_768) >> 16)
      samples[place &+ 2] = Self.clipped(y &+ (116_130 &* cb &+ 32_768) >> 16)
      place &+= 3
    }
  }

  @inline(__always)
  private static func clipped(_ value: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: max(0, min(255, value)))
  }
}
