/// Reading all of the data without decoding a pixel.
extension JPEGContainer {
  /// Reads every code of a JPEG's entropy-coded data, each of which must be one of the tables' and
  /// all of which must fill the blocks there are, and writes the file with the steps of quantization that
  /// its coefficients need.
  ///
  /// Data of one scan is copied; that of several scans, progressive ones too, is coded again from its
  /// coefficients. What hides in copied data and its tables the proof finds; `codedAnew` leaves it out.
  ///
  /// - Parameters:
  ///   - clean: what `clean` gave.
  ///   - limits: what a file may cost before it is refused.
  /// - Returns: a file of one scan, its coefficients the original's. Nil when only a decoder can read
  ///   the data: it is arithmetic-coded or damaged, or a progressive picture is not complete.
  ///   `withoutSurplus` throws for damaged data.
  package static func read(
    _ clean: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8]? {
    guard let scan = try JPEGScan(clean, limits: limits) else {
      return try codedAnew(clean, limits: limits)
    }
    guard let usage = JPEGScanUsage(scan, of: clean) else { return nil }
    let steps = JPEGQuantization.finished(
      zip(scan.components, usage.used).map { ($0.quantization, $1) })
    return steps.map { file(scan.head(steps: $0), data: clean[scan.data]) }
  }

  /// Codes all coefficients of a JPEG again, as one scan with the tables that they need: nothing else of its
  /// data is left, and no pixel changes.
  ///
  /// - Parameters:
  ///   - clean: what `clean` gave.
  ///   - limits: what a file may cost before it is refused.
  /// - Returns: nil where `read` gives nil.
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
    // Most are ordinary, for which there is a faster reader.
    if let scan = try JPEGScan(clean, segments, frame), JPEGScanUsage(scan, of: clean) != nil {
      return nil
    }
    let surplus = try JPEGCompleteness.check(clean, segments, frame).surplus
    guard !surplus.isEmpty else { return nil }
    var whole = clean
    for (range, data) in surplus.reversed() { whole.replaceSubrange(range, with: data) }
    return whole
  }
}
