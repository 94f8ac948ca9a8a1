/// Reading all of the data without decoding a pixel.
extension JPEGContainer {
  /// Codes all coefficients of a JPEG again, as one scan with the tables and the steps of quantization that
  /// they need: nothing else of its data is left, and no pixel changes.
  ///
  /// - Parameters:
  ///   - clean: what `clean` gave.
  ///   - limits: what a file may cost before it is refused.
  /// - Returns: nil if only a decoder can read the data: it is arithmetic-coded or damaged, or a progressive
  ///   picture is not complete. `withoutSurplus` throws for damaged data.
  package static func codedAnew(
    _ clean: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8]? {
    guard let anew = try JPEGCoefficients(clean, limits: limits)?.file(),
      try JPEGScan(anew, limits: limits) != nil
    else { return nil }
    return anew
  }

  /// Names the repair of a picture with bytes left over behind its codes.
  package static let surplusRepair = "jpeg-surplus"

  /// Reads every code: a decoder shows a picture whatever is missing.
  ///
  /// - Parameters:
  ///   - clean: what `clean` gave.
  ///   - limits: what a file may cost before it is refused.
  /// - Returns: the file without the few bytes that are left over behind codes; nil if there are none.
  /// - Throws: `incomplete` when the codes do not yield every block of each scan, `malformed` when too many
  ///   bytes are left over.
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
