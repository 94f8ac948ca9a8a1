/// The contents of a frame header (ITU-T T.81, B.2.2).
struct JPEGFrame {
  struct Component {
    let id: UInt8
    let horizontal, vertical: UInt8
    let quantization: UInt8
  }

  let marker: UInt8
  let width, height: Int
  let components: [Component]
  /// `true` if a scan refers to Huffman tables that the file does not contain. Motion JPEG omits them, and
  /// libjpeg-turbo then uses the tables of T.81, annex K. Not every browser does.
  fileprivate(set) var lacksHuffmanTables = false

  var isArithmetic: Bool { marker >= JPEGMarker.sof9 }
  var isProgressive: Bool { marker == JPEGMarker.sof2 || marker == JPEGMarker.sof10 }
  /// `true` if some component has fewer samples than another.
  var isSubsampled: Bool {
    components.contains { component in
      components.contains {
        $0.horizontal > component.horizontal || $0.vertical > component.vertical
      }
    }
  }

  /// `true` if the sampling factors of each component divide the largest ones. No decoder used here shows other
  /// pictures (libjpeg's `jinit_upsampler`).
  var isEvenlySampled: Bool {
    let wide = components.reduce(1) { max($0, $1.horizontal) }
    let high = components.reduce(1) { max($0, $1.vertical) }
    return components.allSatisfy { wide % $0.horizontal == 0 && high % $0.vertical == 0 }
  }

  init(
    _ bytes: [UInt8], _ segment: JPEGSegment, limits: ContainerLimits
  ) throws(ContainerError) {
    let offset = segment.range.lowerBound
    var reader = ByteReader(bytes, in: segment.payload)
    guard reader.remaining >= 6 else { throw .malformed("jpeg-frame-length", offset: offset) }
    let precision = try reader.u8("jpeg-frame")
    height = try reader.big(2, "jpeg-frame")
    width = try reader.big(2, "jpeg-frame")
    let count = try reader.u8("jpeg-frame")
    guard reader.remaining == 3 * count else {
      throw .malformed("jpeg-frame-length", offset: offset)
    }
    guard precision == 8 else {
      guard precision == 12 else { throw .malformed("jpeg-precision", offset: offset) }
      throw .unsupported("jpeg-12-bit")
    }
    // T.81, B.2.5 allows the height to follow the first scan, but no decoder used here reads it there.
    guard height > 0 else { throw .unsupported("jpeg-dnl") }
    try limits.check(width: width, height: height, offset: offset)
    guard [1, 3, 4].contains(count) else { throw .unsupported("jpeg-components") }
    var components: [Component] = []
    for _ in 0..<count {
      let id = try reader.u8("jpeg-frame")
      let sampling = try reader.u8("jpeg-frame")
      let table = try reader.u8("jpeg-frame")
      guard (1...4).contains(sampling >> 4), (1...4).contains(sampling & 15) else {
        throw .malformed("jpeg-sampling", offset: offset)
      }
      guard table < 4 else { throw .malformed("jpeg-quantization-table", offset: offset) }
      components.append(
        Component(
          id: UInt8(id), horizontal: UInt8(sampling >> 4), vertical: UInt8(sampling & 15),
          quantization: UInt8(table)))
    }
    self.components = components
    self.marker = segment.marker
  }
}

extension JPEGFrame {
  /// Reads the frame of a picture and follows its tables and scans as a decoder does. So files that no decoder could
  /// begin to decode are refused here.
  static func follow(
    _ segments: JPEGSegments, of bytes: [UInt8], limits: ContainerLimits
  ) throws(ContainerError) -> JPEGFrame {
    var decoding = JPEGDecoding()
    for segment in segments.list {
      switch segment.marker {
      case JPEGMarker.dqt, JPEGMarker.dht, JPEGMarker.dri:
        try decoding.tables.parseSegment(bytes, segment)
      case JPEGMarker.sof0...JPEGMarker.sof2, JPEGMarker.sof9, JPEGMarker.sof10:
        guard decoding.frame == nil else {
          throw .malformed("jpeg-second-frame", offset: segment.range.lowerBound)
        }
        decoding.frame = try JPEGFrame(bytes, segment, limits: limits)
      case JPEGMarker.sos: try decoding.readScan(bytes, segment)
      default: break
      }
    }
    guard let frame = decoding.frame, !decoding.scannedComponents.isEmpty else {
      throw .malformed("jpeg-no-scan", offset: segments.end)
    }
    guard decoding.scannedComponents.count == frame.components.count else {
      throw .incomplete("jpeg-scans", percentShown: nil)
    }
    return frame
  }
}

/// The state of a decoder before it reads a scan.
private struct JPEGDecoding {
  var frame: JPEGFrame?
  /// The components whose DC coefficients are in a scan that was read.
  var scannedComponents: Set<Int> = []
  var tables = JPEGTables()

  /// Checks that a decoder could begin with this scan (libjpeg's `start_pass`).
  mutating func readScan(
    _ bytes: [UInt8], _ segment: JPEGSegment
  ) throws(ContainerError) {
    let offset = segment.range.lowerBound
    guard let frame else { throw .malformed("jpeg-scan-before-frame", offset: offset) }
    let scan = try JPEGScanHeader(bytes, segment, of: frame)
    for (component, tables) in scan.components {
      let quantization = Int(frame.components[component].quantization)
      guard self.tables.quantization[quantization] != nil else {
        throw .malformed("jpeg-quantization-table", offset: offset)
      }
      if frame.isArithmetic { continue }
      let needsDC = !frame.isProgressive || scan.first == 0 && scan.high == 0
      let needsAC = !frame.isProgressive || scan.first > 0
      if needsDC { try requireHuffman(tables >> 4, frame: frame, offset: offset) }
      if needsAC { try requireHuffman(tables & 15 | 0x10, frame: frame, offset: offset) }
    }
    if !frame.isProgressive || scan.first == 0 {
      scannedComponents.formUnion(scan.components.map(\.index))
    }
  }

  private mutating func requireHuffman(
    _ table: Int, frame: JPEGFrame, offset: Int
  ) throws(ContainerError) {
    if tables.huffman[table] != nil { return }
    guard !frame.isProgressive, table & 15 < 2 else {
      throw .malformed("jpeg-huffman-table", offset: offset)
    }
    self.frame?.lacksHuffmanTables = true
  }
}
