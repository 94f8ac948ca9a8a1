/// HEIC: HEVC still pictures in ISO boxes (ISO 14496-12, 23008-12).
public enum HEICContainer {
  /// Walks the boxes and returns what the file holds, without decoding.
  ///
  /// Sizes are pixels as libheif 1.15 delivers them: upright, after `clap`, `irot` and `imir`. The
  /// primary item's type decides whether the file is a HEIC photo, not its compatible brands; the major
  /// brand has to be one of HEVC stills (ISO 23008-12, annex B).
  ///
  /// - Throws: `unsupported` with the coding (`av01`), `brand <major>` or `heif-sequence`;
  ///   `overLimit`; `truncated` or `malformed` for damage, data outside the file, grids with gaps,
  ///   and coded sizes that disagree with the announced ones.
  public static func walk(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    let file = try HEICFile(bytes, limits: limits)
    let picture = try HEICPicture(file.meta, limits: limits)
    return try file.facts(of: picture)
  }

  /// Rewrites the file for decoding: the primary picture, its tiles and its alpha with the
  /// properties that change pixels, in the least boxes; coded data is copied bit for bit.
  ///
  /// What libheif 1.15 refuses (several targets of `cdsc` or `auxl`, empty `colr`, references to
  /// items that are no pictures) is gone in the result. Throws what `walk` throws.
  public static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    let file = try HEICFile(bytes, limits: limits)
    return try HEICWriter(file.meta, try HEICPicture(file.meta, limits: limits)).file()
  }
}

/// The top level of a file: brands, the one `meta` box, and whatever lies beside it.
struct HEICFile {
  let bytes: [UInt8]
  let meta: HEICMeta
  let boxes: [ISOBox]
  /// Where the boxes end; what follows is no part of the file.
  let end: Int
  /// Handler types of the tracks of a `moov` box.
  let trackHandlers: Set<String>

  /// Types that are cut off, not foreign, when their size runs past the end of the file.
  private static let topLevelTypes: Set = [
    "ftyp", "meta", "mdat", "moov", "moof", "free", "skip", "uuid", "udta", "idat", "mpvd",
  ]

  init(_ bytes: [UInt8], limits: ContainerLimits) throws(ContainerError) {
    self.bytes = bytes
    var reader = ByteReader(bytes)
    let brands = try reader.box()
    guard brands.type == "ftyp" else { throw .malformed("heif-no-ftyp", offset: 0) }
    try Self.checkBrands(brands, bytes)
    var boxes = [brands]
    while !reader.isAtEnd {
      let start = reader.offset
      let box: ISOBox
      do {
        box = try reader.box()
      } catch {
        reader.offset = start
        if let type = try? ISOBox.type(at: start, bytes), Self.topLevelTypes.contains(type) {
          throw error
        }
        break
      }
      // A second `ftyp` starts a second file, the film of a motion photo.
      if box.type == "ftyp" || box.type.contains("?") {
        reader.offset = start
        break
      }
      boxes.append(box)
      guard boxes.count <= limits.boxes else {
        throw .overLimit(.boxes, actual: boxes.count, allowed: limits.boxes)
      }
    }
    end = reader.offset
    self.boxes = boxes
    let metas = boxes.filter { $0.type == "meta" }
    guard let first = metas.first else {
      if boxes.contains(where: { $0.type == "moov" || $0.type == "moof" }) {
        throw .unsupported("heif-sequence")
      }
      throw .truncated("meta", offset: end)
    }
    guard metas.count == 1 else {
      throw .malformed("heif-second-meta", offset: metas[1].range.lowerBound)
    }
    var census = ISOBoxCensus()
    try census.add(boxes, bytes, limits: limits)
    trackHandlers = census.handlers
    meta = try HEICMeta(first, bytes, limits: limits)
    // A file is whole when all of its items are, needed or not.
    for item in meta.items { _ = try meta.ranges(of: item.id) }
  }

  private static func checkBrands(_ box: ISOBox, _ bytes: [UInt8]) throws(ContainerError) {
    var reader = ByteReader(bytes, in: box.body)
    let major = try reader.fourCC("ftyp")
    switch major {
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1": return
    case "avif", "avis": throw .unsupported("av01")
    default:
      let isName = !major.contains("?") && major.contains { $0 != " " }
      if !isName, try hasHEIFBrand(&reader) {
        // A HEIC whose first brand was wiped out.
        throw .malformed("heif-brand", offset: box.body.lowerBound)
      }
      let spaces = major.reversed().prefix { $0 == " " }.count
      throw .unsupported(isName ? "brand \(major.dropLast(spaces))" : "unknown brand")
    }
  }

  /// Whether one of the compatible brands is HEIC's; `reader` stands after the major brand.
  private static func hasHEIFBrand(_ reader: inout ByteReader) throws(ContainerError) -> Bool {
    try reader.skip(4, for: "ftyp")
    while reader.remaining >= 4 {
      if ["heic", "heix", "mif1"].contains(try reader.fourCC("ftyp")) { return true }
    }
    return false
  }
}

extension ISOBox {
  /// The four-character code of a box that starts at `offset`.
  static func type(at offset: Int, _ bytes: [UInt8]) throws(ContainerError) -> String {
    var reader = ByteReader(bytes, in: offset..<bytes.count)
    try reader.skip(4, for: "box")
    return try reader.fourCC("box")
  }
}
