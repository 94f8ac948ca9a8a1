extension WebPFrame {
  /// Reads the picture's data to its last pixel. Data that this module's readers can't follow is accepted and left to a
  /// decoder.
  ///
  /// - Throws: `incomplete` if the data ends before.
  func checkWhole(in bytes: [UInt8]) throws(ContainerError) {
    if let alpha, bytes[alpha.lowerBound] & 3 == 1 {
      let size = (width, height)
      try Self.check("webp-alpha") { () throws(ProofError) in
        _ = try VP8LProof.verifyAlpha(
          in: alpha.lowerBound + 1..<alpha.upperBound, of: bytes, width: size.0, height: size.1)
      }
    }
    if isLossless {
      try Self.check("webp-data") { () throws(ProofError) in
        _ = try VP8LProof.verify(bytes, in: image)
      }
    } else if let rows = VP8Frame.wholeRows(of: bytes[image]), rows < height {
      throw .incomplete("webp-data", shown: rows, of: height)
    }
  }

  /// Reads the data of a frame whose chunk may be truncated.
  ///
  /// - Throws: `incomplete` if the data ends before the last pixel, or if more bytes are missing than a decoder reads
  ///   ahead. In the latter case, codes were lost even if the rest seems complete.
  func checkWhole(in bytes: [UInt8], ifCut chunk: WebPChunk) throws(ContainerError) {
    guard chunk.isCut else { return }
    try checkWhole(in: bytes)
    guard chunk.missing <= 16 else { throw .incomplete("webp-data", percentShown: nil) }
  }

  /// Runs a verifier and throws `incomplete` if the data ends early. Its other errors are ignored because they don't
  /// mean missing pixels.
  private static func check(
    _ problem: String, _ reading: () throws(ProofError) -> Void
  ) throws(ContainerError) {
    do throws(ProofError) { try reading() } catch {
      if error.problem == VP8LProof.cut { throw .incomplete(problem, percentShown: nil) }
    }
  }
}
