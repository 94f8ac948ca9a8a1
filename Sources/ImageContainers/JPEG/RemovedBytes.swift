/// Finds videos and pictures in bytes that are removed: second pictures (MPF, gain maps), motion photos, and other data
/// that cameras and editors put after the picture or into their own containers.
///
/// They are found by their signatures. The directories that should point to them (MPF, XMP containers) can remain after
/// an editor has cut off the data, and some manufacturers write none.
struct RemovedBytes {
  private let bytes: [UInt8]
  private let origin: String
  /// The position up to which bytes are in `parts`.
  private var reported: Int
  private var parts: [ContainerPart] = []

  /// Splits a range into parts that add up to it, in one pass.
  ///
  /// - Parameters:
  ///   - range: the bytes that are removed.
  ///   - kind: the kind that their container implies. Kinds that are understood are not searched.
  ///   - origin: the part of the file that contains them.
  static func parts(
    of range: Range<Int>, in bytes: [UInt8], as kind: ContainerPart.Kind, origin: String
  ) -> [ContainerPart] {
    var search = RemovedBytes(bytes: bytes, origin: origin, reported: range.lowerBound)
    switch kind {
    case .application, .comment, .motionVideo, .trailing, .unknown: search.addRange(range, kind)
    default: search.add(kind, upTo: range.upperBound)
    }
    return search.parts
  }

  private mutating func addRange(_ range: Range<Int>, _ usual: ContainerPart.Kind) {
    let limits = ContainerLimits()
    var kind = usual
    var position = range.lowerBound
    // A JPEG is only read to its own end if the range reaches the end of the file. After the first broken one, no more
    // are read. Otherwise each false start could cost a pass over the rest of the file.
    var readsJPEGs = range.upperBound == bytes.count
    while parts.count < limits.chunks, kind != .motionVideo || kind == usual,
      let (start, found) = Self.signature(in: bytes, position..<range.upperBound)
    {
      position = start + Self.signatureBytes
      if readsJPEGs, bytes[start] == 0xFF {
        if let segments = try? JPEGSegments(bytes, from: start, limits: limits), segments.hasEOI {
          position = segments.end
          guard segments.list.contains(where: { $0.marker == JPEGMarker.sos }) else { continue }
          add(kind, upTo: start)
          let metadata = JPEGMetadata(bytes, segments, without: [], limits: limits)
          let isDepth = metadata.xmp.hasDepthMap
          add(metadata.isGainMap ? .gainMap : isDepth ? .depthMap : found, upTo: position)
          kind = usual
          continue
        }
        readsJPEGs = false
      }
      add(kind, upTo: start)
      kind = found
    }
    add(kind, upTo: range.upperBound)
  }

  /// Adds the bytes that have not been reported yet. In large unknown or trailing ranges, zeros count as padding.
  private mutating func add(_ kind: ContainerPart.Kind, upTo end: Int) {
    let range = reported..<end
    reported = end
    let mayBePadding = (kind == .unknown || kind == .trailing) && range.count > 1024
    let zeros = mayBePadding ? bytes[range].count { $0 == 0 } : 0
    for (kind, count) in [(kind, range.count - zeros), (.padding, zeros)] where count > 0 {
      parts.append(ContainerPart(kind, bytes: count, origin: origin))
    }
  }

  /// The length of the longest signature in bytes.
  private static let signatureBytes = 12

  /// Returns the start and kind of the first video or picture.
  private static func signature(
    in bytes: [UInt8], _ range: Range<Int>
  ) -> (start: Int, ContainerPart.Kind)? {
    bytes.withUnsafeBytes { buffer in
      var start = range.lowerBound
      while start + signatureBytes <= range.upperBound {
        if let kind = signature(buffer[start..<range.upperBound]) { return (start, kind) }
        start += 1
      }
      return nil
    }
  }

  @inline(__always)
  private static func signature(_ bytes: Slice<UnsafeRawBufferPointer>) -> ContainerPart.Kind? {
    func word(_ offset: Int) -> UInt32 {
      let place = bytes.startIndex + offset
      return UInt32(bigEndian: bytes.base.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }
    switch word(0) {
    case 0xFFD8_FFC0...0xFFD8_FFFE where ![0xD8, 0xD9].contains(word(0) & 0xFF):
      // SOI must be followed by a segment, and the segment by a marker or the end.
      let next = bytes.startIndex + 4 + Int(word(4) >> 16)
      return next >= bytes.endIndex || bytes.base[next] == 0xFF ? .secondPicture : nil
    case 0x8950_4E47 where word(4) == 0x0D0A_1A0A: return .secondPicture  // PNG
    case 0x4749_4638 where word(4) >> 16 == 0x3961 || word(4) >> 16 == 0x3761:
      return .secondPicture  // GIF
    case 0x5249_4646 where word(8) == 0x5745_4250: return .secondPicture  // RIFF, WEBP
    // A file type box (ISO 14496-12, 4.3) is short, and its first brand is printable.
    case 12..<0x10000 where word(4) == 0x6674_7970:
      let brand = bytes.dropFirst(8).prefix(4)
      guard brand.allSatisfy({ 0x20...0x7E ~= $0 }) else { return nil }
      let isStill = ["heic", "heix", "mif1", "avif"].contains { brand.elementsEqual($0.utf8) }
      return isStill ? .secondPicture : .motionVideo
    default: return nil
    }
  }
}
