/// JPEG files (ITU-T T.81, JFIF 1.02): segments from SOI to EOI, and what cameras put around them.
public enum JPEGContainer {
  /// Walks all segments and scans of the primary picture and names everything else in the file,
  /// decoding nothing.
  ///
  /// Stands by T.81, and where real files do not, by what libjpeg does. Sizes are stored pixels.
  ///
  /// - Throws: `truncated` when the picture has no EOI or lacks a component's scan; `unsupported`
  ///   for `jpeg-lossless`, `jpeg-hierarchical`, `jpeg-ls`, `jpeg-12-bit`, `jpeg-components`;
  ///   `overLimit` for size, scans, segments and bytes of application segments; else `malformed`.
  public static func walk(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    let segments = try JPEGSegments(bytes, limits: limits)
    let frame = try JPEGFrame.follow(segments, of: bytes, limits: limits)
    return facts(of: segments, frame, in: bytes, limits: limits)
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

    let metadata = JPEGMetadata(
      bytes, segments, without: neededSegments(segments, color), limits: limits)
    facts.exif = metadata.exif
    facts.orientation = metadata.exif?.orientation ?? 1
    facts.hasLocation = metadata.exif?.hasGPS == true || metadata.xmp.hasLocation
    facts.colorTag = metadata.profile.isEmpty ? .untagged : .profile(metadata.profile)
    facts.parts = metadata.parts
    facts.parts += JPEGTail.parts(
      of: bytes, after: segments.end, primary: metadata.xmp, limits: limits)
    return facts
  }

  /// Rewrites the file to SOI, the segments that decide color, tables, frame, scans and EOI.
  ///
  /// An ordinary JPEG, of one scan, gets the one head there is for what it says, with the tables its
  /// scan uses. Of others tables, frame and scans are copied byte for byte, in their order. The
  /// entropy-coded data is copied without a look at its codes: `read` looks. The result is not upright
  /// and not sRGB when the input was not: orientation and profile are metadata.
  ///
  /// - Throws: as `walk`.
  public static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    let segments = try JPEGSegments(bytes, limits: limits)
    let frame = try JPEGFrame.follow(segments, of: bytes, limits: limits)
    return try clean(segments, frame, of: bytes)
  }

  static func clean(
    _ segments: JPEGSegments, _ frame: JPEGFrame, of bytes: [UInt8]
  ) throws(ContainerError) -> [UInt8] {
    if let scan = try JPEGScan(bytes, segments, frame),
      let head = scan.head({ ($1.quantization, $1.dc, $1.ac) })
    {
      return file(head, data: bytes[scan.data])
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

  /// A whole file.
  static func file(_ head: [UInt8], data: ArraySlice<UInt8>) -> [UInt8] {
    var file: [UInt8] = []
    file.reserveCapacity(head.count + data.count + 2)
    file += head
    file += data
    file += [0xFF, JPEGMarker.eoi]
    return file
  }

  /// Which segments decoding needs: the canonical color segments, and all but application segments
  /// up to the last scan.
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
