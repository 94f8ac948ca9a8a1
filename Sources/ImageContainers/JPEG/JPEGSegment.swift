/// A marker segment of a JPEG (ITU-T T.81, B.1.1.4).
struct JPEGSegment {
  /// The second byte of the marker.
  let marker: UInt8
  /// The range of the whole segment in the file: both marker bytes, length, payload, and after a scan header also the
  /// entropy-coded data.
  let range: Range<Int>
  /// The range between the length field and the segment's end, without entropy-coded data.
  let payload: Range<Int>

  var isApplication: Bool { marker >= 0xE0 && marker <= 0xEF || marker == JPEGMarker.com }
}

/// The marker codes that are used here (ITU-T T.81, table B.1).
enum JPEGMarker {
  static let sof0: UInt8 = 0xC0
  static let sof1: UInt8 = 0xC1
  static let sof2: UInt8 = 0xC2
  static let dht: UInt8 = 0xC4
  static let sof9: UInt8 = 0xC9
  static let sof10: UInt8 = 0xCA
  static let dac: UInt8 = 0xCC
  static let eoi: UInt8 = 0xD9
  static let sos: UInt8 = 0xDA
  static let dqt: UInt8 = 0xDB
  static let dri: UInt8 = 0xDD
  static let app0: UInt8 = 0xE0
  static let app1: UInt8 = 0xE1
  static let app2: UInt8 = 0xE2
  static let app11: UInt8 = 0xEB
  static let app13: UInt8 = 0xED
  static let app14: UInt8 = 0xEE
  static let com: UInt8 = 0xFE
}

/// The segments of one picture from SOI to EOI.
struct JPEGSegments {
  private(set) var list: [JPEGSegment] = []
  /// The number of bytes between segments that belong to no segment: fill bytes and leftovers of encoders. They are
  /// skipped, as decoders do (libjpeg's `next_marker`).
  private(set) var strayBytes = 0
  /// The position after the last byte of EOI. Without EOI, the position where the picture ends.
  private(set) var end = 0
  /// `true` if an EOI ends the picture. Otherwise the data of its last scan ends at or before `end`, which is the
  /// position of an invalid marker or the end of the file. `end(at:)` then sets the exact end.
  private(set) var hasEOI = true

  /// Reads the segments of the picture that starts at `start`, in one pass over its bytes.
  init(_ bytes: [UInt8], from start: Int = 0, limits: ContainerLimits) throws(ContainerError) {
    // Browsers and libmagic also require the third byte.
    guard bytes.count - start >= 3 else { throw .truncated("jpeg-soi", offset: bytes.count) }
    guard bytes[start] == 0xFF, bytes[start + 1] == 0xD8, bytes[start + 2] == 0xFF else {
      throw .malformed("jpeg-soi", offset: start)
    }
    var position = start + 2
    var scans = 0
    var optionalBytes = 0
    while true {
      guard let found = Self.nextMarker(in: bytes, from: position) else {
        guard scans > 0 else { throw .truncated("jpeg-eoi", offset: bytes.count) }
        endWithoutEOI(before: bytes.count)
        return
      }
      let markerStart = found.code - 1
      strayBytes += markerStart - found.run
      if let last = list.last, last.marker == JPEGMarker.sos {
        list[list.count - 1] = JPEGSegment(
          marker: last.marker, range: last.range.lowerBound..<found.run, payload: last.payload)
      } else {
        strayBytes += found.run - position
        // After a scan, stray bytes are most likely a scan whose header was lost.
        guard scans == 0 || bytes[position..<found.run].allSatisfy(JPEGIntervals.isFill) else {
          throw .incomplete("jpeg-scans", percentShown: nil)
        }
      }
      let marker = bytes[found.code]
      if marker == JPEGMarker.eoi {
        end = found.code + 1
        break
      }
      let payload: Range<Int>
      do throws(ContainerError) {
        payload = try Self.payload(of: found.code, in: bytes, isInScans: scans > 0)
      } catch {
        guard scans > 0 else { throw error }
        endWithoutEOI(before: found.run)
        return
      }
      position = payload.upperBound
      list.append(
        JPEGSegment(marker: marker, range: markerStart..<position, payload: payload))

      if list[list.count - 1].isApplication { optionalBytes += payload.count + 4 }
      if marker == JPEGMarker.sos { scans += 1 }
      guard list.count <= limits.chunks else {
        throw .overLimit(.chunks, actual: list.count, allowed: limits.chunks)
      }
      guard scans <= limits.scans else {
        throw .overLimit(
          .scans, actual: Self.countScans(in: bytes, from: position, before: scans),
          allowed: limits.scans)
      }
      guard optionalBytes + strayBytes <= limits.applicationBytes else {
        throw .overLimit(
          .applicationBytes, actual: optionalBytes + strayBytes, allowed: limits.applicationBytes)
      }
    }
  }

  /// Ends the picture with its last scan, as decoders do if no more of the picture follows.
  private mutating func endWithoutEOI(before end: Int) {
    hasEOI = false
    if let last = list.last, last.marker == JPEGMarker.sos { return self.end(at: end) }
    while let last = list.last, last.marker != JPEGMarker.sos { list.removeLast() }
    self.end = list.last?.range.upperBound ?? end
  }

  /// Ends a picture without EOI at the end of the data of its last scan.
  mutating func end(at end: Int) {
    let last = list.removeLast()
    list.append(
      JPEGSegment(
        marker: last.marker, range: last.range.lowerBound..<end, payload: last.payload))
    self.end = end
  }

  /// Returns the range of the payload after the length field. `code` is the position of the marker's second byte.
  private static func payload(
    of code: Int, in bytes: [UInt8], isInScans: Bool
  ) throws(ContainerError) -> Range<Int> {
    try check(bytes[code], isInScans: isInScans, offset: code - 1)
    var reader = ByteReader(bytes, in: code + 1..<bytes.count)
    let length = try reader.big(2, "jpeg-segment")
    guard length >= 2 else { throw .malformed("jpeg-segment-length", offset: code - 1) }
    return try reader.range(length - 2, for: "jpeg-segment")
  }

  /// Refuses markers of other kinds of JPEG, and markers without meaning (libjpeg's `read_markers` stops at them, too).
  /// After a scan the kind is certain, so there such markers are damage.
  private static func check(
    _ marker: UInt8, isInScans: Bool, offset: Int
  ) throws(ContainerError) {
    switch marker {
    case 0xC0...0xC2, 0xC4, 0xC9, 0xCA, 0xCC, 0xDA, 0xDB, 0xDD, 0xE0...0xEF, 0xFE: return
    case 0xC3 where !isInScans, 0xCB where !isInScans: throw .unsupported("jpeg-lossless")
    case 0xC5...0xC7 where !isInScans, 0xCD...0xCF where !isInScans, 0xDE where !isInScans:
      throw .unsupported("jpeg-hierarchical")
    case 0xF7 where !isInScans: throw .unsupported("jpeg-ls")
    case 0xD8: throw .malformed("jpeg-second-soi", offset: offset)
    // The height must be in the frame header. No decoder used here honors a later one.
    case 0xDC: throw .malformed("jpeg-dnl", offset: offset)
    default: throw .malformed("jpeg-marker", offset: offset)
    }
  }

  /// Returns the total number of scans for the message of a refusal.
  private static func countScans(in bytes: [UInt8], from start: Int, before: Int) -> Int {
    var scans = before
    var position = start
    while let found = nextMarker(in: bytes, from: position) {
      position = found.code + 1
      if bytes[found.code] == JPEGMarker.eoi { break }
      if bytes[found.code] == JPEGMarker.sos { scans += 1 }
    }
    return scans
  }

  /// Finds the next marker, and ignores stuffed zeros. `run` is the position of its first 0xFF (all except the last one
  /// are fill, T.81, B.1.1.2), and `code` is the position of its second byte.
  static func nextMarker(
    in bytes: [UInt8], from start: Int, to end: Int? = nil, skipsRestarts: Bool = true
  ) -> (run: Int, code: Int)? {
    bytes.withUnsafeBytes { buffer in
      let end = end ?? buffer.count
      var index = start
      while index < end {
        index = JPEGIntervals.next0xFF(in: buffer, from: index, to: end)
        let run = index
        while index < end, buffer[index] == 0xFF { index += 1 }
        guard index < end else { return nil }
        let code = buffer[index]
        if code != 0, !(skipsRestarts && 0xD0...0xD7 ~= code) { return (run, index) }
        index += 1
      }
      return nil
    }
  }
}
