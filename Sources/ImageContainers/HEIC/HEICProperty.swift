/// A property of items (`ipco`, ISO 23008-12, 9.3), as far as decoding needs it.
struct HEICProperty {
  let box: ISOBox
  let value: Value

  enum Value {
    case size(width: Int, height: Int)
    case hevc(HEVCConfiguration)
    /// An ICC profile at this range of the file.
    case profile(Range<Int>)
    case codePoints(primaries: Int, transfer: Int, matrix: Int, fullRange: Bool)
    /// A `colr` that says nothing: an empty profile, or a kind that libheif 1.15 refuses.
    case emptyColor
    /// Bits of each channel (`pixi`).
    case depths([Int])
    /// Quarter turns against the clock.
    case rotation(Int)
    /// Axis 0: top and bottom change places; axis 1: left and right do.
    case mirror(axis: Int)
    case crop(CleanAperture)
    /// The kind of an auxiliary picture (`auxC`).
    case auxiliary(String)
    /// A property that changes no pixel.
    case other
    /// A property that decoding needs and that cannot be read.
    case broken(ContainerError)
  }

  init(_ box: ISOBox, _ bytes: [UInt8]) {
    self.box = box
    do {
      value = try Self.read(box, bytes)
    } catch {
      value = .broken(error)
    }
  }

  /// Whether the cleaned file keeps it.
  var isNeeded: Bool {
    switch value {
    case .emptyColor, .other: false
    default: true
    }
  }

  /// Whether it moves, turns or cuts; such properties come after the describing ones.
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

  private static func read(_ box: ISOBox, _ bytes: [UInt8]) throws(ContainerError) -> Value {
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
      // The kinds we know have up to 50 letters; every item can share one property.
      return .auxiliary(String(decoding: bytes[reader.terminated()].prefix(100), as: UTF8.self))
    default: return .other
    }
  }
}

/// One property of one item (`ipma`, ISO 23008-12, 9.3.1).
struct HEICAssociation {
  /// Index into the properties, counted from 0.
  let property: Int
  let isEssential: Bool

  /// Adds the box's entries; an item that was there before keeps its first entry, as in libheif.
  static func read(
    _ box: ISOBox, _ bytes: [UInt8], into associations: inout [Int: [HEICAssociation]],
    propertyCount: Int, limits: ContainerLimits
  ) throws(ContainerError) {
    var (reader, version, flags) = try box.fullBody(bytes)
    let count = try reader.big(4, "ipma")
    // A number that the box cannot hold is damage, not size: an entry has 3 bytes at least.
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
