/// Reading all of the data without decoding a pixel.
extension JPEGContainer {
  /// Reads every code of a JPEG's entropy-coded data, each of which must be one of the tables' and
  /// all of which must fill the blocks there are, and writes the file in its finished form.
  ///
  /// Data of one scan is copied; that of several scans, progressive ones too, is coded again from its
  /// coefficients. So are blocks outside of the picture, when something hides there.
  ///
  /// - Parameters:
  ///   - clean: what `clean` gave.
  ///   - limits: what a file may cost before it is refused.
  /// - Returns: the file with nothing in it but what a decoder needs for the pixels it shows: one
  ///   baseline scan, the tables its codes need, no byte after a last code. Its coefficients are the
  ///   original's. Nil when only a decoder can tell what the data shows: it is arithmetic-coded or
  ///   damaged (which `checkWhole` tells), or a progressive picture is not complete.
  public static func read(
    _ clean: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8]? {
    if let scan = try JPEGScan(clean, limits: limits) {
      guard let usage = JPEGScanUsage(scan, of: clean) else { return nil }
      if let file = usage.finished(scan, of: clean) { return file }
    }
    guard let anew = try JPEGCoefficients(clean, limits: limits)?.file(),
      try JPEGScan(anew, limits: limits) != nil
    else { return nil }
    return anew
  }
}

extension JPEGContainer {
  /// Reads every code of what is to be decoded and encoded again: a decoder shows a picture whatever is
  /// missing.
  ///
  /// - Parameters:
  ///   - clean: what `clean` gave.
  ///   - limits: what a file may cost before it is refused.
  /// - Throws: `incomplete` when the codes do not yield every block of each scan.
  public static func checkWhole(
    _ clean: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) {
    let (segments, frame) = try structure(of: clean, limits: limits)
    // Most are ordinary, for which there is a faster reader.
    if let scan = try JPEGScan(clean, segments, frame), JPEGScanUsage(scan, of: clean) != nil {
      return
    }
    try JPEGCompleteness.check(clean, segments, frame)
  }
}

extension JPEGScanUsage {
  /// The file around the data that was read; nil when its codes cannot stay.
  fileprivate func finished(_ scan: JPEGScan, of clean: [UInt8]) -> [UInt8]? {
    guard !hidesBlocks else { return nil }
    let steps = JPEGQuantization.finished(
      zip(scan.components, used).map { ($0.quantization, $1) })
    func seen(_ number: UInt8) -> ArraySlice<UInt8> { self.seen[(scan.places[number] ?? 0)...] }
    let head = scan.head { index, component in
      guard let steps,
        let dc = component.dc.finished(seen: seen(component.selectors >> 4), forDC: true),
        let ac = component.ac.finished(seen: seen(component.selectors & 15 | 0x10), forDC: false)
      else { return nil }
      return (steps[index], dc, ac)
    }
    guard let head else { return nil }
    let data = self.data?[...] ?? clean[scan.data]
    if self.data == nil, clean.count == head.count + data.count + 2, clean.starts(with: head) {
      return clean
    }
    return JPEGContainer.file(head, data: data)
  }
}
