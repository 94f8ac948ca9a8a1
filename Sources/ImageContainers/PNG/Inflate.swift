/// Decompresses zlib data with a limit on the output (RFC 1950 and 1951): color profiles, text, and rows that have to
/// be counted. The work is bounded by the input and the limit.
enum Inflate {
  /// The reason why decompression failed.
  enum Failure: Error, Equatable {
    /// The data is damaged or truncated, or its checksum is wrong.
    case broken
    /// The output would exceed the limit.
    case overLimit
  }

  /// Decompresses the zlib stream at the start of `range` into at most `limit` bytes.
  static func zlib(
    _ bytes: [UInt8], in range: Range<Int>, limit: Int
  ) throws(Failure) -> [UInt8] {
    var output: [UInt8] = []
    let isWhole = pieces(bytes, in: range) { piece in
      output += piece.prefix(limit + 1 - output.count)
      return output.count <= limit
    }
    guard output.count <= limit else { throw .overLimit }
    guard isWhole else { throw .broken }
    return output
  }

  /// Decompresses a zlib stream piece by piece, without a limit, up to its end or the first damage. The pieces can
  /// contain all rows even if the end of the stream is damaged.
  ///
  /// - Returns: `true` if the stream is valid up to a correct checksum.
  static func pieces(_ stream: [UInt8], receive: (ArraySlice<UInt8>) -> Void) -> Bool {
    pieces(stream, in: 0..<stream.count) { piece in
      receive(piece)
      return true
    }
  }

  /// - Parameter receive: returns `true` to continue.
  private static func pieces(
    _ bytes: [UInt8], in range: Range<Int>, receive: (ArraySlice<UInt8>) -> Bool
  ) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      guard let reader = try? PNGProofInflate(bytes, in: range, isProof: false) else {
        return false
      }
      while !reader.isAtEnd {
        // The last 32 KB of output are kept because later copies refer to them.
        let window = min(reader.count, 32_768)
        let isSound = (try? reader.inflate(consumed: reader.count)) != nil
        let piece = UnsafeBufferPointer(
          start: reader.output + window, count: reader.count - window)
        guard receive(Array(piece)[...]), isSound else { return false }
      }
      return true
    }
  }
}
