/// Inflates zlib data with a bound on what comes out (RFC 1950 and 1951): color profiles, text, and rows that have
/// to be counted. Work is bounded by the input and the limit.
enum Inflate {
  /// Why nothing came out.
  enum Failure: Error, Equatable {
    /// The data is damaged, ends early, or its checksum is wrong.
    case broken
    /// More than the limit would come out.
    case overLimit
  }

  /// Inflates the zlib stream at the start of `range` into at most `limit` bytes.
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

  /// Inflates a zlib stream piece by piece, as far as it goes and however much comes out. Decoders may have
  /// all rows before they come to its end.
  ///
  /// - Returns: whether its codes can be followed to a checksum that is right.
  static func pieces(_ stream: [UInt8], receive: (ArraySlice<UInt8>) -> Void) -> Bool {
    pieces(stream, in: 0..<stream.count) { piece in
      receive(piece)
      return true
    }
  }

  /// - Parameter receive: returns whether it takes more.
  private static func pieces(
    _ bytes: [UInt8], in range: Range<Int>, receive: (ArraySlice<UInt8>) -> Bool
  ) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      guard let reader = try? PNGProofInflate(bytes, in: range, isProof: false) else {
        return false
      }
      while !reader.isAtEnd {
        // The last 32 KB of output stay, because later copies refer to them.
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
