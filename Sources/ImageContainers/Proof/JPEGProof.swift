/// Accounts for each byte of a JPEG: a header in the one form that says nothing besides, and one scan
/// of all components, Huffman-coded, read code by code to its end (ITU-T T.81).
///
/// Read with eyes of its own: nothing here is shared with the walk and the cleaner.
enum JPEGProof {
  static func account(for bytes: [UInt8]) throws(ProofFailure) -> ProvedPicture {
    let header = try JPEGProofHeader(bytes)
    let data = try JPEGProofData(header, of: bytes)
    for (index, table) in header.quantization.enumerated() {
      try table.check(used: data.frequencies(of: index, header))
    }
    for (index, table) in header.huffman.enumerated() { try table.check(used: data.symbols[index]) }
    return ProvedPicture(
      width: header.width, height: header.height,
      reduced: header.isYCbCr ? data.eighth(header) : nil)
  }
}

/// Reads the header's numbers, each of them checked against the file's end.
struct JPEGProofCursor {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The second byte of the marker that must stand here; takes nothing.
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
