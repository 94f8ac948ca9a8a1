/// Verifies each byte of a JPEG (ITU-T T.81).
///
/// The header must have the one form that leaves no room for other information. One Huffman-coded scan with all
/// components must follow, which is read code by code to its end.
///
/// Reads the header with code of its own. For `finish`, the cleaner writes a new header, which is then read too.
enum JPEGProof {
  /// Verifies a JPEG, and makes its reduced picture.
  static func verify(_ bytes: [UInt8]) throws(ProofError) -> VerifiedPicture {
    let header = try JPEGProofHeader(bytes)
    let data = try JPEGProofData(header, of: bytes)
    try data.checkTables(of: header)
    return data.picture(header)
  }

  /// Verifies a JPEG whose tables may have unused entries, and writes its header without those.
  ///
  /// Reads the data only once, because the new tables don't change the meaning of its codes.
  static func finish(
    _ bytes: [UInt8]
  ) throws(ProofError) -> (bytes: [UInt8], picture: VerifiedPicture) {
    let header = try JPEGProofHeader(bytes)
    let data = try JPEGProofData(header, of: bytes)
    do throws(ProofError) {
      try data.checkTables(of: header)
      return (bytes, data.picture(header))
    } catch {
      guard let finished = try? data.finished(bytes, header) else { throw error }
      try data.checkTables(of: JPEGProofHeader(finished))
      return (finished, data.picture(header))
    }
  }
}

/// Reads bytes and numbers of the header. Throws at the end of the file.
struct JPEGProofCursor {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the second byte of the marker at `offset`, without advancing. Throws if there is no marker.
  func marker() throws(ProofError) -> UInt8 {
    guard offset + 1 < bytes.count else { throw ProofError("jpeg-short", offset: offset) }
    guard bytes[offset] == 0xFF else { throw ProofError("jpeg-stray-bytes", offset: offset) }
    return bytes[offset + 1]
  }

  mutating func byte() throws(ProofError) -> Int {
    guard offset < bytes.count else { throw ProofError("jpeg-short", offset: offset) }
    defer { offset += 1 }
    return Int(bytes[offset])
  }

  /// Reads a 16-bit big-endian number.
  mutating func number() throws(ProofError) -> Int { try byte() << 8 | byte() }

  /// Reads bytes that must equal the expected ones.
  mutating func expect(_ expected: [UInt8], _ problem: String) throws(ProofError) {
    for byte in expected {
      let place = offset
      guard try self.byte() == Int(byte) else { throw ProofError(problem, offset: place) }
    }
  }
}

extension JPEGProofData {
  /// Checks that the data uses all information in the tables.
  fileprivate func checkTables(of header: JPEGProofHeader) throws(ProofError) {
    for (index, table) in header.quantization.enumerated() {
      try table.check(used: frequencies(of: index, header))
    }
    for (index, table) in header.huffman.enumerated() { try table.check(used: symbols[index]) }
  }

  /// Returns the file with tables that hold only the entries that its data uses, or `nil` if no such Huffman table
  /// keeps the used codes.
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

  /// Returns the verified picture, with a reduced one unless the components are RGB.
  fileprivate func picture(_ header: JPEGProofHeader) -> VerifiedPicture {
    VerifiedPicture(
      width: header.width, height: header.height,
      reduced: header.isYCbCr ? eighth(header) : nil)
  }

  /// Returns the picture at an eighth of its size, a pixel for each block of 8 × 8. Repeats chroma if it's subsampled.
  private func eighth(_ header: JPEGProofHeader) -> ReducedPicture {
    let width = (header.width + 7) / 8
    let height = (header.height + 7) / 8
    let bands = header.components.count
    var picture = ReducedPicture(
      width: width, height: height, bands: bands,
      samples: [UInt8](repeating: 0, count: width * height * bands))
    let across = header.components.reduce(1) { max($0, $1.horizontal) }
    let down = header.components.reduce(1) { max($0, $1.vertical) }
    // `dcAverages` is ordered by unit, and within a unit by block.
    let sizes = header.components.map { $0.horizontal * $0.vertical }
    let unit = sizes.reduce(0, +)
    // For each component and pixel column, the offset of its block within a row of units.
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
        for x in 0..<width { samples[y * width + x] = dcAverages[rows[0] + x] }
      } else {
        colored(
          rows, columns[0], columns[1], columns[2], into: &samples, at: y * width * 3)
      }
    }
    return picture
  }

  /// Converts a row to red, green and blue (JFIF 1.02, page 3; the factors are multiplied by 65,536).
  private func colored(
    _ rows: [Int], _ luma: [Int], _ blue: [Int], _ red: [Int],
    into samples: inout MutableSpan<UInt8>, at start: Int
  ) {
    let dcAverages = dcAverages.span
    let lumaRow = rows[0]
    let blueRow = rows[1]
    let redRow = rows[2]
    var place = start
    for x in luma.indices {
      let y = Int(dcAverages[lumaRow &+ luma[x]])
      let cb = Int(dcAverages[blueRow &+ blue[x]]) &- 128
      let cr = Int(dcAverages[redRow &+ red[x]]) &- 128
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
