/// JPEG files (ITU-T T.81, JFIF 1.02): the segments from SOI to EOI, and the data that cameras add around them.
package enum JPEGContainer {
  /// Parses all segments and scans of the primary picture and names everything else in the file, without decoding.
  ///
  /// Follows T.81, and libjpeg where real files deviate from T.81. Sizes are in stored pixels.
  ///
  /// - Throws: `incomplete` if the picture lacks a component's scan, or EOI and some of its pixels. `truncated` if it
  ///   ends before its first scan. `unsupported` for `jpeg-lossless`, `jpeg-hierarchical`, `jpeg-ls`, `jpeg-12-bit`,
  ///   `jpeg-components`. `overLimit` for size, scans, segments and bytes of application segments. `malformed` in all
  ///   other cases.
  package static func parse(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    let (segments, frame) = try structure(of: bytes, limits: limits)
    return facts(of: segments, frame, in: bytes, limits: limits)
  }

  /// Returns the segments and the frame of the primary picture. A picture that lacks only EOI ends with its last code.
  static func structure(
    of bytes: [UInt8], limits: ContainerLimits
  ) throws(ContainerError) -> (JPEGSegments, JPEGFrame) {
    var segments = try JPEGSegments(bytes, limits: limits)
    let frame = try JPEGFrame.follow(segments, of: bytes, limits: limits)
    if !segments.hasEOI {
      segments.end(at: try JPEGCompleteness.check(bytes, segments, frame).end)
    }
    return (segments, frame)
  }

  static func facts(
    of segments: JPEGSegments, _ frame: JPEGFrame, in bytes: [UInt8], limits: ContainerLimits
  ) -> ImageFacts {
    let color = JPEGColorSegments(bytes, segments)
    var facts = ImageFacts(
      format: .jpeg, storedWidth: frame.width, storedHeight: frame.height)
    facts.colorModel = color.model(of: frame)
    facts.chromaSubsampled = frame.isSubsampled
    if frame.isArithmetic { facts.oddities.append("arithmetic-coding") }
    if frame.lacksHuffmanTables { facts.oddities.append("no-huffman-tables") }

    if !segments.hasEOI { facts.repairs.append("jpeg-eoi") }
    let metadata = JPEGMetadata(
      bytes, segments, without: neededSegments(segments, color), limits: limits)
    facts.exif = metadata.exif
    facts.orientation = metadata.exif?.orientation ?? 1
    facts.hasLocation = metadata.exif?.hasGPS == true || metadata.xmp.hasLocation
    facts.colorTag = metadata.profile.isEmpty ? .untagged : .profile(metadata.profile)
    facts.parts = metadata.parts
    // The picture's XMP can announce a video whose container format is unknown.
    facts.parts += RemovedBytes.parts(
      of: segments.end..<bytes.count, in: bytes,
      as: metadata.xmp.isMotionPhoto ? .motionVideo : .trailing, origin: "after EOI")
    return facts
  }

  /// Rewrites the file to SOI, the segments that decide color, tables, frame, scans and EOI.
  ///
  /// An ordinary JPEG, which has one scan, gets a head in canonical form (see `JPEGHead`) with the tables that its scan
  /// uses. In other JPEGs, tables, frame and scans are copied byte for byte, in their order. The entropy-coded data is
  /// copied without reading its codes, which `withoutSurplus` does. The result is not upright and not sRGB if the input
  /// was not, because orientation and profile are metadata.
  ///
  /// - Throws: the errors of `parse`.
  package static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    let (segments, frame) = try structure(of: bytes, limits: limits)
    return try clean(segments, frame, of: bytes)
  }

  static func clean(
    _ segments: JPEGSegments, _ frame: JPEGFrame, of bytes: [UInt8]
  ) throws(ContainerError) -> [UInt8] {
    if let scan = try JPEGScan(bytes, segments, frame) {
      return file(scan.head(), data: bytes[scan.data])
    }
    let color = JPEGColorSegments(bytes, segments)
    var result: [UInt8] = []
    result.reserveCapacity(segments.end + color.cleanBytes.count)
    result += [0xFF, 0xD8]
    result += color.cleanBytes
    for index in neededSegments(segments, color) where !color.canonicalIndices.contains(index) {
      result.append(contentsOf: bytes[segments.list[index].range])
    }
    result += [0xFF, JPEGMarker.eoi]
    return result
  }

  static func file(_ head: [UInt8], data: ArraySlice<UInt8>) -> [UInt8] {
    var file: [UInt8] = []
    file.reserveCapacity(head.count + data.count + 2)
    file += head
    file += data
    file += [0xFF, JPEGMarker.eoi]
    return file
  }

  /// Returns the indices of the segments that decoding needs: the canonical color segments, and all except application
  /// segments up to the last scan.
  private static func neededSegments(
    _ segments: JPEGSegments, _ color: JPEGColorSegments
  ) -> [Int] {
    let lastScan = segments.list.lastIndex { $0.marker == JPEGMarker.sos } ?? 0
    return segments.list.indices.filter {
      color.canonicalIndices.contains($0)
        || $0 <= lastScan && !segments.list[$0].isApplication
    }
  }
}

/// Turns pictures without decoding.
extension JPEGContainer {
  /// Turns and mirrors a JPEG by exchanging and negating coefficients. So no pixel is lost or rounded, as happens if a
  /// picture is decoded and encoded again.
  ///
  /// Color segments are kept, and restart markers are removed. The result has the original's Huffman tables if they can
  /// code every picture, and otherwise those of T.81, annex K.
  ///
  /// - Parameters:
  ///   - clean: the result of `clean`.
  ///   - orientation: the EXIF orientation (1 to 8) of `clean`. The result is upright.
  ///   - limits: the limits above which a file is refused.
  /// - Returns: `nil` if this JPEG can only be turned by decoding it. That is the case if it is arithmetic-coded or
  ///   damaged, if a progressive picture is not complete, or if units that are cut off by the picture's edge would move
  ///   to the left or top edge.
  package static func turned(
    _ clean: [UInt8], orientation: Int, limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8]? {
    let turn = JPEGTurn(orientation: orientation)
    var bytes = clean
    var ordinary = try JPEGScan(bytes, limits: limits)
    if ordinary == nil, let anew = try codedAnew(clean, limits: limits) {
      bytes = anew
      ordinary = try JPEGScan(bytes, limits: limits)
    }
    guard let scan = ordinary, turn.isPossible(for: scan) else { return nil }
    let keepsTables = scan.components.allSatisfy {
      $0.dc.isComplete(forDC: true) && $0.ac.isComplete(forDC: false)
    }
    let coding = scan.components.indices.map {
      keepsTables ? JPEGCoding(scan.components[$0]) : JPEGCoding(typicalForLuma: $0 == 0)
    }
    guard let blocks = JPEGTurnedBlocks(scan, of: bytes, by: turn, tables: coding.map(\.ac)),
      let data = blocks.inOrder(of: scan, by: turn, tables: coding.map(\.dc))
    else { return nil }

    let isExchanged = turn.exchangesSides
    let components = zip(scan.components, coding).enumerated().map { index, component in
      JPEGHead.Component(
        id: scan.frame.components[index].id,
        horizontal: isExchanged ? component.0.vertical : component.0.horizontal,
        vertical: isExchanged ? component.0.horizontal : component.0.vertical,
        quantization: turn.quantization(component.0.quantization), dc: component.1.dc,
        ac: component.1.ac, selectors: component.1.selectors)
    }
    var result = JPEGHead(
      width: isExchanged ? scan.frame.height : scan.frame.width,
      height: isExchanged ? scan.frame.width : scan.frame.height, color: scan.color,
      components: components, restartInterval: 0
    ).bytes
    result.reserveCapacity(result.count + data.count + data.count / 16)
    JPEGIntervals.append(stuffing: data, to: &result)
    result += [0xFF, JPEGMarker.eoi]
    return result
  }
}

/// The Huffman tables that a component is written with.
private struct JPEGCoding {
  let dc, ac: JPEGHuffmanTable
  let selectors: UInt8

  /// Keeps the tables that the component is read with.
  init(_ component: JPEGScan.Component) {
    dc = component.dc
    ac = component.ac
    selectors = component.selectors
  }

  init(typicalForLuma isLuma: Bool) {
    dc = .typical(forDC: true, isLuma: isLuma)
    ac = .typical(forDC: false, isLuma: isLuma)
    selectors = isLuma ? 0x00 : 0x11
  }
}
