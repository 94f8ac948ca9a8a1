/// An item that the file declares (`infe`, ISO 14496-12, 8.11.6).
struct HEICItem: Equatable {
  let id: Int
  /// The four-character code, empty for versions 0 and 1 of the box.
  let type: String
  /// The media type of a `mime` item, otherwise empty.
  let contentType: String
  /// `true` if the item's data is stored without content encoding and protection.
  let isPlain: Bool
  /// The range of the item's name, which decoding doesn't need.
  let name: Range<Int>
  /// The range of the box, including its header.
  let box: Range<Int>

  init(_ box: ISOBox, _ bytes: [UInt8]) throws(ContainerError) {
    var (reader, version, _) = try box.fullBody(bytes)
    guard version <= 3 else { throw .malformed("heif-infe-version", offset: box.range.lowerBound) }
    id = try reader.big(version == 3 ? 4 : 2, "infe")
    let protection = try reader.big(2, "infe")
    type = version >= 2 ? try reader.fourCC("infe") : ""
    name = reader.terminated()
    let isMIME = version < 2 || type == "mime"
    contentType = isMIME ? String(decoding: bytes[reader.terminated()], as: UTF8.self) : ""
    let encoding = isMIME ? reader.terminated() : 0..<0
    isPlain = protection == 0 && encoding.isEmpty
    self.box = box.range
  }

  /// `true` if libheif 1.15 treats the item as a picture (`item_type_is_image`).
  var isPictureToDecoder: Bool { ["hvc1", "grid", "iden", "iovl", "av01", "vvc1"].contains(type) }

  /// `true` if the item is a coded or derived picture of any kind.
  var isPicture: Bool {
    isPictureToDecoder
      || ["hev1", "lhv1", "avc1", "jpeg", "j2k1", "unci", "tmap", "mski"].contains(type)
  }

  var isXMP: Bool { contentType == "application/rdf+xml" }
}

/// A reference from one item to others (`iref`, ISO 14496-12, 8.11.12).
struct HEICReference: Equatable {
  let type: String
  let from: Int
  let to: [Int]

  static func parse(_ box: ISOBox, _ bytes: [UInt8], limits: ContainerLimits)
    throws(ContainerError) -> [HEICReference]
  {
    let (reader, version, _) = try box.fullBody(bytes)
    let width = version == 0 ? 2 : 4
    var references: [HEICReference] = []
    var targets = 0
    for child in try box.children(bytes, from: reader.offset, limits: limits) {
      var reader = ByteReader(bytes, in: child.body)
      let from = try reader.big(width, "iref")
      let count = try reader.big(2, "iref")
      targets += count
      try limits.check(targets, .boxes, upTo: limits.boxes)
      try reader.require(count * width, for: "iref")
      var to: [Int] = []
      to.reserveCapacity(count)
      for _ in 0..<count { to.append(try reader.big(width, "iref")) }
      references.append(HEICReference(type: child.type, from: from, to: to))
    }
    return references
  }
}

/// The location of an item's bytes (`iloc`, ISO 14496-12, 8.11.3).
struct HEICLocation: Equatable {
  /// 0 for the file, 1 for `idat`, 2 for another item.
  let method: Int
  /// 0 for this file.
  let dataReference: Int
  /// The declared offsets, including the base offset, and lengths. They have not been checked against the file.
  let extents: [(offset: Int, length: Int)]

  static func == (a: Self, b: Self) -> Bool {
    a.method == b.method && a.dataReference == b.dataReference
      && a.extents.elementsEqual(b.extents, by: ==)
  }

  static func parse(_ box: ISOBox, _ bytes: [UInt8], limits: ContainerLimits)
    throws(ContainerError) -> [Int: HEICLocation]
  {
    var (reader, version, _) = try box.fullBody(bytes)
    let start = box.range.lowerBound
    guard version <= 2 else { throw .malformed("heif-iloc-version", offset: start) }
    let sizes = try reader.big(2, "iloc")
    let widths = [sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15, version > 0 ? sizes & 15 : 0]
    guard widths.allSatisfy([0, 4, 8].contains) else {
      throw .malformed("heif-iloc-sizes", offset: start)
    }
    let count = try reader.big(version < 2 ? 2 : 4, "iloc")
    // An entry has at least 6 bytes. A count that doesn't fit into the box is damage, not a large file.
    try reader.require(count * 6, for: "iloc")
    try limits.check(count, .items, upTo: limits.items)
    var locations: [Int: HEICLocation] = [:]
    var allExtents = 0
    for _ in 0..<count {
      let id = try reader.big(version < 2 ? 2 : 4, "iloc")
      let method = version > 0 ? try reader.big(2, "iloc") & 15 : 0
      let dataReference = try reader.big(2, "iloc")
      let base = try reader.position(widths[2])
      let extentCount = try reader.big(2, "iloc")
      // Extents may have no bytes at all, so the size of the box doesn't limit their number.
      allExtents += extentCount
      try limits.check(allExtents, .boxes, upTo: limits.boxes)
      var extents: [(offset: Int, length: Int)] = []
      for _ in 0..<extentCount {
        try reader.skip(widths[3], for: "iloc")
        let offset = try reader.position(widths[0])
        extents.append((base + offset, try reader.position(widths[1])))
      }
      // libheif uses the first entry of an item.
      if locations[id] == nil {
        locations[id] = HEICLocation(
          method: method, dataReference: dataReference, extents: extents)
      }
    }
    return locations
  }
}

extension ByteReader {
  /// Returns a number of 0, 4 or 8 bytes. The sum of two of them cannot overflow.
  fileprivate mutating func position(_ width: Int) throws(ContainerError) -> Int {
    guard width > 0 else { return 0 }
    let high = width == 8 ? try big(4, "iloc") : 0
    guard high < 1 << 29 else { throw .malformed("heif-iloc-offset", offset: offset) }
    return high << 32 | (try big(4, "iloc"))
  }
}
