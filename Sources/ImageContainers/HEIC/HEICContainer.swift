/// HEIC: HEVC still pictures in ISO boxes (ISO 14496-12, 23008-12).
package enum HEICContainer {
  /// The brands of HEVC stills and sequences.
  fileprivate static let brands: Set = ["heic", "heix", "heim", "heis", "hevc", "hevx"]

  /// Returns `true` if the file begins with a file type box that has a HEIC brand.
  package static func hasBrand(_ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    guard let box = try? reader.box(), box.type == "ftyp" else { return false }
    reader = ByteReader(bytes, in: box.body)
    // The limit includes the major brand and its version.
    for _ in 0..<mostBrands + 2 {
      guard let brand = try? reader.fourCC("ftyp") else { return false }
      if brands.contains(brand) { return true }
    }
    return false
  }

  /// The maximum number of brands that are read. Real files have ten.
  fileprivate static let mostBrands = 256
}

/// The top level of a file: the brands, the one `meta` box and all other boxes.
///
/// The type of the primary item decides whether the file is a HEIC photo. In addition, the major brand or one of the
/// others must be a brand of HEVC stills (ISO 23008-12, annex B).
struct HEICFile {
  let bytes: [UInt8]
  let meta: HEICMeta
  let boxes: [ISOBox]
  /// The end of the last box. Later bytes aren't part of the structure.
  let end: Int
  /// The handler types of the tracks in a `moov` box.
  let trackHandlers: Set<String>

  /// `true` if the file ends within its last box. The picture can still be complete, depending on the missing data.
  let isCut: Bool

  /// The box types that count as truncated if their size exceeds the file. Other types count as foreign data.
  private static let topLevelTypes: Set = [
    "ftyp", "meta", "mdat", "moov", "moof", "free", "skip", "uuid", "udta", "idat", "mpvd",
  ]

  /// Parses the boxes.
  ///
  /// - Throws: `unsupported` with the coding (`av01`), `brand <major>` or `heif-sequence`; `overLimit`; `truncated` or
  ///   `malformed` for damage.
  init(_ bytes: [UInt8], limits: ContainerLimits) throws(ContainerError) {
    self.bytes = bytes
    var reader = ByteReader(bytes)
    let brands = try reader.box()
    guard brands.type == "ftyp" else { throw .malformed("heif-no-ftyp", offset: 0) }
    try Self.checkBrands(brands, bytes)
    var boxes = [brands]
    var isCut = false
    while !reader.isAtEnd {
      let start = reader.offset
      let box: ISOBox
      do {
        box = try reader.box()
      } catch {
        reader.offset = start
        if let type = try? ISOBox.type(at: start, bytes), Self.topLevelTypes.contains(type) {
          guard let rest = reader.cutBox(), rest.type != "meta" else { throw error }
          boxes.append(rest)
          isCut = true
        }
        break
      }
      // A second `ftyp` starts another file, such as the video of a motion photo.
      if box.type == "ftyp" || box.type.contains("?") {
        reader.offset = start
        break
      }
      boxes.append(box)
      try limits.check(boxes.count, .boxes, upTo: limits.boxes)
    }
    end = reader.offset
    self.boxes = boxes
    self.isCut = isCut
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
  }

  private static func checkBrands(_ box: ISOBox, _ bytes: [UInt8]) throws(ContainerError) {
    var reader = ByteReader(bytes, in: box.body)
    let major = try reader.fourCC("ftyp")
    try reader.skip(4, for: "ftyp")
    var brands: Set = [major]
    for _ in 0..<HEICContainer.mostBrands where reader.remaining >= 4 {
      brands.insert(try reader.fourCC("ftyp"))
    }
    guard brands.isDisjoint(with: HEICContainer.brands) else { return }
    switch major {
    case "mif1", "msf1": return
    case "avif", "avis": throw .unsupported("av01")
    default:
      let isName = !major.contains("?") && major.contains { $0 != " " }
      if !isName, brands.contains("mif1") {
        // This is a HEIC with an erased major brand.
        throw .malformed("heif-brand", offset: box.body.lowerBound)
      }
      let spaces = major.reversed().prefix { $0 == " " }.count
      throw .unsupported(isName ? "brand \(major.dropLast(spaces))" : "unknown brand")
    }
  }
}

extension ISOBox {
  /// Returns the four-character code of the box at `offset`.
  static func type(at offset: Int, _ bytes: [UInt8]) throws(ContainerError) -> String {
    var reader = ByteReader(bytes, in: offset..<bytes.count)
    try reader.skip(4, for: "box")
    return try reader.fourCC("box")
  }
}
