/// A property of items (`ipco`, ISO 23008-12, 9.3), as far as decoding needs it.
struct HEICProperty {
  let box: ISOBox
  let value: Value

  enum Value {
    case size(width: Int, height: Int)
    case hevc(HEVCConfiguration)
    /// The range of an ICC profile in the file.
    case profile(Range<Int>)
    case codePoints(primaries: Int, transfer: Int, matrix: Int, fullRange: Bool)
    /// A `colr` without a usable value: an empty profile, or a kind that libheif 1.15 rejects.
    case emptyColor
    /// The bit depths of the channels (`pixi`).
    case depths([Int])
    /// The number of counterclockwise quarter turns.
    case rotation(Int)
    /// Axis 0 swaps top and bottom, axis 1 swaps left and right.
    case mirror(axis: Int)
    case crop(CleanAperture)
    /// The kind of an auxiliary picture (`auxC`).
    case auxiliary(String)
    /// A property that doesn't affect pixels.
    case other
    /// A property that decoding needs but that can't be parsed.
    case broken(ContainerError)
  }

  init(_ box: ISOBox, _ bytes: [UInt8]) {
    self.box = box
    do {
      value = try Self.parseValue(box, bytes)
    } catch {
      value = .broken(error)
    }
  }

  /// `true` if the cleaned file keeps the property.
  var isNeeded: Bool {
    switch value {
    case .emptyColor, .other: false
    default: true
    }
  }

  /// `true` for rotations, mirrorings and crops. They come after the descriptive properties.
  var isTransformation: Bool {
    switch value {
    case .rotation, .mirror, .crop: true
    default: false
    }
  }

  var isAlpha: Bool {
    guard case .auxiliary(let kind) = value else { return false }
    return kind == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
      || kind == "urn:mpeg:hevc:2015:auxid:1" || kind == "urn:mpeg:avc:2015:auxid:1"
  }

  private static func parseValue(_ box: ISOBox, _ bytes: [UInt8]) throws(ContainerError) -> Value {
    var reader = ByteReader(bytes, in: box.body)
    switch box.type {
    case "ispe":
      try reader.skip(4, for: "ispe")
      return .size(width: try reader.big(4, "ispe"), height: try reader.big(4, "ispe"))
    case "hvcC":
      return .hevc(try HEVCConfiguration(box, bytes))
    case "colr":
      switch try reader.fourCC("colr") {
      case "nclx":
        let codes = try reader.big(6, "nclx")
        return .codePoints(
          primaries: codes >> 32, transfer: codes >> 16 & 0xFFFF, matrix: codes & 0xFFFF,
          fullRange: try reader.u8("nclx") & 0x80 != 0)
      case "prof", "rICC":
        return reader.isAtEnd ? .emptyColor : .profile(reader.offset..<reader.end)
      default: return .emptyColor
      }
    case "pixi":
      try reader.skip(4, for: "pixi")
      let range = try reader.range(try reader.u8("pixi"), for: "pixi")
      return .depths(bytes[range].map(Int.init))
    case "irot": return .rotation(try reader.u8("irot") & 3)
    case "imir":
      return .mirror(axis: try reader.u8("imir") & 1)
    case "clap": return .crop(try CleanAperture(box, bytes))
    case "auxC":
      try reader.skip(4, for: "auxC")
      // The known kinds have up to 50 letters. The limit matters because all items can share one property.
      return .auxiliary(String(decoding: bytes[reader.terminated()].prefix(100), as: UTF8.self))
    default: return .other
    }
  }
}

/// The association of a property with an item (`ipma`, ISO 23008-12, 9.3.1).
struct HEICAssociation {
  /// The index in the properties, from 0.
  let property: Int
  let isEssential: Bool

  /// Adds the entries of a box. If an item already has an entry, the first one is kept, as in libheif.
  static func parse(
    _ box: ISOBox, _ bytes: [UInt8], into associations: inout [Int: [HEICAssociation]],
    propertyCount: Int, limits: ContainerLimits
  ) throws(ContainerError) {
    var (reader, version, flags) = try box.fullBody(bytes)
    let count = try reader.big(4, "ipma")
    // An entry has at least 3 bytes. A count that doesn't fit into the box is damage, not a large file.
    try reader.require(count * 3, for: "ipma")
    try limits.check(count, .items, upTo: limits.items)
    for _ in 0..<count {
      let id = try reader.big(version < 1 ? 2 : 4, "ipma")
      var entry: [HEICAssociation] = []
      for _ in 0..<(try reader.u8("ipma")) {
        let isWide = flags & 1 == 1
        let value = try reader.big(isWide ? 2 : 1, "ipma")
        let index = value & (isWide ? 0x7FFF : 0x7F)
        guard index <= propertyCount else {
          throw .malformed("heif-property-missing", offset: reader.offset)
        }
        // Index 0 means no property.
        if index > 0 {
          entry.append(.init(property: index - 1, isEssential: value != index))
        }
      }
      if associations[id] == nil { associations[id] = entry }
    }
  }
}
