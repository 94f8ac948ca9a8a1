/// What follows the primary picture's EOI: second pictures (MPF, gain maps), films, anything.
///
/// Named by what it is rather than by the directories that point to it (MPF, XMP containers),
/// which editors leave behind when they cut the tail off.
enum JPEGTail {
  /// Splits the bytes from `start` on; the parts add up to all of them. One pass.
  static func parts(
    of bytes: [UInt8], after start: Int, primary: XMP, limits: ContainerLimits
  ) -> [ContainerPart] {
    var parts: [ContainerPart] = []
    func add(_ kind: ContainerPart.Kind, _ range: Range<Int>) {
      guard !range.isEmpty else { return }
      parts.append(ContainerPart(kind, bytes: range.count, origin: "after EOI"))
    }
    var position = start
    /// Bytes up to here are reported.
    var reported = start
    loop: while position < bytes.count, parts.count < limits.chunks {
      switch signature(bytes, at: position) {
      case .film:
        add(.trailing, reported..<position)
        add(.motionVideo, position..<bytes.count)
        reported = bytes.count
        break loop
      case .picture:
        // A broken picture ends the search for pictures: else each false start could cost a pass
        // over the rest of the file.
        guard let segments = try? JPEGSegments(bytes, from: position, limits: limits),
          segments.hasEOI
        else {
          break loop
        }
        if segments.list.contains(where: { $0.marker == JPEGMarker.sos }) {
          add(.trailing, reported..<position)
          add(kind(of: segments, bytes, limits: limits), position..<segments.end)
          reported = segments.end
        }
        position = segments.end
      case nil:
        position += 1
      }
    }
    // A film in a container of its own: the XMP of the picture says that there is one.
    add(primary.isMotionPhoto ? .motionVideo : .trailing, reported..<bytes.count)
    return parts
  }

  private enum Signature { case picture, film }

  private static func signature(_ bytes: [UInt8], at position: Int) -> Signature? {
    let left = bytes.count - position
    if bytes[position] == 0xFF {
      let isPicture = left >= 3 && bytes[position + 1] == 0xD8 && bytes[position + 2] == 0xFF
      return isPicture ? .picture : nil
    }
    // A `ftyp` box (ISO 14496-12, 4.3) is short: its size's first two bytes are zero.
    guard bytes[position] == 0, left >= 16, bytes[position + 1] == 0 else { return nil }
    return bytes[position + 4..<position + 8].elementsEqual("ftyp".utf8) ? .film : nil
  }

  private static func kind(
    of segments: JPEGSegments, _ bytes: [UInt8], limits: ContainerLimits
  ) -> ContainerPart.Kind {
    let metadata = JPEGMetadata(bytes, segments, without: [], limits: limits)
    if metadata.isGainMap { return .gainMap }
    return metadata.xmp.hasDepthMap ? .depthMap : .secondPicture
  }
}
