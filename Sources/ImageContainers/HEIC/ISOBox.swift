/// A box of the ISO base media file format (ISO 14496-12, 4.2).
struct ISOBox: Equatable {
  /// The four-character code. The extended type of a `uuid` box is in its body.
  let type: String
  /// The range of the box, including its header.
  let range: Range<Int>
  /// The range after size and type. In a full box, it includes version and flags.
  let body: Range<Int>

  /// Returns a reader of the body after version and flags.
  func fullBody(
    _ bytes: [UInt8]
  ) throws(ContainerError) -> (reader: ByteReader, version: Int, flags: Int) {
    var reader = ByteReader(bytes, in: body)
    let version = try reader.u8(type)
    let flags = try reader.big(3, type)
    return (reader, version, flags)
  }

  /// Returns the boxes that fill the body from `offset` on. Throws if there are more than `limits.boxes`.
  func children(
    _ bytes: [UInt8], from offset: Int? = nil, limits: ContainerLimits
  ) throws(ContainerError) -> [ISOBox] {
    var reader = ByteReader(bytes, in: (offset ?? body.lowerBound)..<body.upperBound)
    var children: [ISOBox] = []
    while !reader.isAtEnd {
      children.append(try reader.box())
      try limits.check(children.count, .boxes, upTo: limits.boxes)
    }
    return children
  }
}

extension ByteReader {
  /// Parses a box header and skips its body. The special sizes 0 (to the end) and 1 (64 bits) are supported.
  mutating func box() throws(ContainerError) -> ISOBox {
    let start = offset
    var size = try big(4, "box")
    let type = try fourCC("box")
    if size == 1 {
      let high = try big(4, type)
      let low = try big(4, type)
      guard high < 1 << 30 else { throw .malformed("heif-box-size", offset: start) }
      size = high << 32 | low
    } else if size == 0 {
      size = end - start
    }
    let header = offset - start
    guard size >= header else { throw .malformed("heif-box-size", offset: start) }
    guard size <= end - start else {
      throw end == bytes.count
        ? .truncated(type, offset: start) : .malformed("heif-box-size", offset: start)
    }
    offset = start + size
    return ISOBox(type: type, range: start..<offset, body: start + header..<offset)
  }

  /// Parses a box that extends past the end of the file and returns the available part. Returns `nil` if even its
  /// header is incomplete.
  mutating func cutBox() -> ISOBox? {
    let start = offset
    guard let size = try? big(4, "box"), let type = try? fourCC("box"), end == bytes.count,
      size != 1 || (try? skip(8, for: "box")) != nil
    else {
      offset = start
      return nil
    }
    defer { offset = end }
    return ISOBox(type: type, range: start..<end, body: offset..<end)
  }

  /// Returns the range of a string that ends at a NUL byte or at the end of the range.
  mutating func terminated() -> Range<Int> {
    let start = offset
    while offset < end, bytes[offset] != 0 { offset += 1 }
    defer { if offset < end { offset += 1 } }
    return start..<offset
  }
}

/// Counts the boxes of a file at all depths without interpreting them.
struct ISOBoxCensus {
  /// The handler types of the tracks (`vide`, `pict`, `soun`).
  private(set) var handlers: Set<String> = []
  private var count = 0

  /// The boxes that contain boxes, with the number of body bytes before the first one.
  private static let containers: [String: Int] = [
    "meta": 4, "iref": 4, "iprp": 0, "ipco": 0, "grpl": 0, "dinf": 0, "moov": 0, "trak": 0,
    "mdia": 0,
    "minf": 0, "stbl": 0, "edts": 0, "udta": 0, "mvex": 0, "moof": 0, "traf": 0, "ipro": 0,
    "sinf": 0, "schi": 0, "tref": 0,
  ]

  /// Counts these boxes and their contents. Damage inside a box only ends the count of that box.
  mutating func add(_ boxes: [ISOBox], _ bytes: [UInt8], limits: ContainerLimits)
    throws(ContainerError)
  {
    var waiting = boxes.map { (box: $0, depth: 1) }
    while let (box, depth) = waiting.popLast() {
      count += 1
      try limits.check(count, .boxes, upTo: limits.boxes)
      try limits.check(depth, .boxDepth, upTo: limits.boxDepth)
      if box.type == "hdlr", depth > 2 { noteHandler(box, bytes) }
      guard let skip = Self.containers[box.type] else { continue }
      var reader = ByteReader(
        bytes, in: min(box.body.lowerBound + skip, box.body.upperBound)..<box.body.upperBound)
      var children = 0
      while !reader.isAtEnd, children + count <= limits.boxes, let child = try? reader.box() {
        waiting.append((child, depth + 1))
        children += 1
      }
    }
  }

  private mutating func noteHandler(_ box: ISOBox, _ bytes: [UInt8]) {
    var reader = ByteReader(bytes, in: box.body)
    guard (try? reader.skip(8, for: "hdlr")) != nil, let type = try? reader.fourCC("hdlr") else {
      return
    }
    handlers.insert(type)
  }
}
