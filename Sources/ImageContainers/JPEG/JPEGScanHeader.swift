/// The contents of a scan header (ITU-T T.81, B.2.3).
struct JPEGScanHeader {
  /// The indices of the scan's components in the frame, and the numbers of their tables: dc << 4 | ac.
  let components: [(index: Int, selectors: Int)]
  /// The coefficients that the scan contains, in zigzag order. A sequential scan contains 0 to 63.
  let first, last: Int
  /// The lowest known bit of the coefficients before the scan (0 if no bit is known) and after it.
  let high, low: Int
  /// `true` if units contain blocks of several components. The units of a single component are single blocks (T.81,
  /// A.2.2).
  var isInterleaved: Bool { components.count > 1 }

  /// Reads the header by the rules of libjpeg's `get_sos` and `start_pass`.
  init(
    _ bytes: [UInt8], _ segment: JPEGSegment, of frame: JPEGFrame
  ) throws(ContainerError) {
    let offset = segment.range.lowerBound
    var reader = ByteReader(bytes, in: segment.payload)
    guard reader.remaining >= 1 else { throw .malformed("jpeg-scan-length", offset: offset) }
    let count = try reader.u8("jpeg-scan")
    guard (1...4).contains(count), reader.remaining == 2 * count + 3 else {
      throw .malformed("jpeg-scan-length", offset: offset)
    }
    var components: [(index: Int, selectors: Int)] = []
    for _ in 0..<count {
      let id = try reader.u8("jpeg-scan")
      let selectors = try reader.u8("jpeg-scan")
      let component = frame.components.indices.first { index in
        frame.components[index].id == id && !components.contains { $0.index == index }
      }
      guard let component else { throw .malformed("jpeg-scan-component", offset: offset) }
      components.append((component, selectors))
    }
    self.components = components
    first = try reader.u8("jpeg-scan")
    last = try reader.u8("jpeg-scan")
    let approximation = try reader.u8("jpeg-scan")
    high = approximation >> 4
    low = approximation & 15
    guard frame.isProgressive else { return }
    // The rules of T.81, G.1.1.1.
    let isBandLegal =
      first == 0 ? last == 0 : first <= last && last < 64 && count == 1
    guard isBandLegal, low <= 13, high == 0 || high == low + 1 else {
      throw .malformed("jpeg-progression", offset: offset)
    }
  }
}
