/// Reads all data without decoding a pixel.
extension JPEGContainer {
  /// Codes all coefficients of a JPEG again, as one scan, with only the Huffman tables and quantization steps that they
  /// need. No other part of the data is kept, and no pixel changes.
  ///
  /// - Parameters:
  ///   - clean: the result of `clean`.
  ///   - limits: the limits above which a file is refused.
  /// - Returns: `nil` if only a decoder can read the data because it is arithmetic-coded or damaged, or because a
  ///   progressive picture is not complete. `withoutSurplus` throws for damaged data.
  package static func codedAnew(
    _ clean: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8]? {
    guard let anew = try JPEGCoefficients(clean, limits: limits)?.file(),
      try JPEGScan(anew, limits: limits) != nil
    else { return nil }
    return anew
  }

  /// The name of the repair that removes bytes left over after codes.
  package static let surplusRepair = "jpeg-surplus"

  /// Reads every code, because a decoder shows a picture even if data is missing.
  ///
  /// - Parameters:
  ///   - clean: the result of `clean`.
  ///   - limits: the limits above which a file is refused.
  /// - Returns: the file without the few bytes that are left over after codes, or `nil` if no bytes are left over.
  /// - Throws: `incomplete` if the codes do not yield every block of each scan. `malformed` if too many bytes are left
  ///   over.
  package static func withoutSurplus(
    _ clean: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8]? {
    let (segments, frame) = try structure(of: clean, limits: limits)
    let surplus = try JPEGCompleteness.check(clean, segments, frame).surplus
    guard !surplus.isEmpty else { return nil }
    var whole = clean
    for (range, data) in surplus.reversed() { whole.replaceSubrange(range, with: data) }
    return whole
  }
}
