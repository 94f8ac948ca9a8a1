/// A builder of HEIC files in memory. Tests don't decode them, because the pictures are random bytes.
struct HEICBuilder {
  var brand = "heic"
  var compatibleBrands = ["mif1", "heic"]
  var items: [Item] = []
  var references: [(type: String, from: Int, to: [Int])] = []
  var primary = 1
  /// Additional boxes inside `meta`, and at the top level after `mdat`.
  var metaBoxes: [[UInt8]] = []
  var boxes: [[UInt8]] = []
  var trailing: [UInt8] = []
  var locationVersion = 1
  /// The file that contains the data of all items; 0 is this file.
  var dataReference = 0
  /// The number of bytes of an offset and of a length in `iloc`: 4 or 8.
  var locationWidth = 4
  /// The IDs of items whose data is in `idat`.
  var inItemData: Set<Int> = []
  /// Bytes in `mdat` that belong to no item.
  var slack: [UInt8] = []
  var handler = "pict"
  var handlerName = ""
  /// `true` puts `mdat` before `meta`.
  var dataFirst = false

  struct Item {
    var id: Int
    var type: String
    var data: [UInt8]
    var properties: [[UInt8]] = []
    var name = ""
    var contentType = ""
  }

  func file() -> [UInt8] {
    let ftyp = isoBox("ftyp", isoText(brand), isoBig(0, 4), compatibleBrands.flatMap(isoText))
    let stored = items.filter { !inItemData.contains($0.id) }.flatMap(\.data)
    let mdat = isoBox("mdat", stored, slack)
    let metaSize = meta(dataStart: 0).count
    let start = ftyp.count + (dataFirst ? 8 : metaSize + 8)
    let meta = meta(dataStart: start)
    return ftyp + (dataFirst ? mdat + meta : meta + mdat) + boxes.flatMap(\.self) + trailing
  }

  private func meta(dataStart: Int) -> [UInt8] {
    var infe: [UInt8] = []
    for item in items {
      infe += isoFullBox(
        "infe", version: 2, isoBig(item.id, 2), isoBig(0, 2), isoText(item.type),
        isoText(item.name), [0],
        item.type == "mime" ? isoText(item.contentType) + [0, 0] : [])
    }
    var iref: [UInt8] = []
    for reference in references {
      iref += isoBox(
        reference.type, isoBig(reference.from, 2), isoBig(reference.to.count, 2),
        reference.to.flatMap { isoBig($0, 2) })
    }
    var ipco: [UInt8] = []
    var ipma: [UInt8] = []
    var count = 0
    for item in items where !item.properties.isEmpty {
      ipco += item.properties.flatMap(\.self)
      ipma += isoBig(item.id, 2) + [UInt8(item.properties.count)]
      for _ in item.properties {
        count += 1
        ipma += isoBig(count, 2)
      }
    }
    let idat = items.filter { inItemData.contains($0.id) }.flatMap(\.data)
    return isoFullBox(
      "meta",
      isoFullBox("hdlr", isoBig(0, 4), isoText(handler), isoBig(0, 12), isoText(handlerName), [0]),
      isoFullBox("pitm", isoBig(primary, 2)),
      isoFullBox("iinf", isoBig(items.count, 2), infe),
      iref.isEmpty ? [] : isoFullBox("iref", iref),
      isoBox(
        "iprp", isoBox("ipco", ipco),
        isoFullBox(
          "ipma", flags: 1, isoBig(items.filter { !$0.properties.isEmpty }.count, 4), ipma)),
      idat.isEmpty ? [] : isoBox("idat", idat),
      locations(dataStart: dataStart), metaBoxes.flatMap(\.self))
  }

  private func locations(dataStart: Int) -> [UInt8] {
    var iloc: [UInt8] = []
    var fileOffset = dataStart
    var dataOffset = 0
    let id = locationVersion == 2 ? 4 : 2
    for item in items {
      let isInItemData = inItemData.contains(item.id)
      iloc += isoBig(item.id, id)
      if locationVersion > 0 { iloc += isoBig(isInItemData ? 1 : 0, 2) }
      iloc += isoBig(dataReference, 2) + isoBig(1, 2)
      iloc += isoBig(isInItemData ? dataOffset : fileOffset, locationWidth)
      iloc += isoBig(item.data.count, locationWidth)
      if isInItemData { dataOffset += item.data.count } else { fileOffset += item.data.count }
    }
    return isoFullBox(
      "iloc", version: locationVersion, isoBig(locationWidth << 12 | locationWidth << 8, 2),
      isoBig(items.count, id), iloc)
  }
}

func isoBig(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
}

func isoText(_ text: String) -> [UInt8] { Array(text.utf8) }

func isoBox(_ type: String, _ body: [UInt8]...) -> [UInt8] {
  let body = body.flatMap(\.self)
  return isoBig(body.count + 8, 4) + isoText(type) + body
}

func isoFullBox(_ type: String, version: Int = 0, flags: Int = 0, _ body: [UInt8]...) -> [UInt8] {
  isoBox(type, isoBig(version, 1), isoBig(flags, 3), body.flatMap(\.self))
}

/// The properties of pictures.
enum ISOProperty {
  static func ispe(_ width: Int, _ height: Int) -> [UInt8] {
    isoFullBox("ispe", isoBig(width, 4), isoBig(height, 4))
  }
  static func irot(_ turns: UInt8) -> [UInt8] { isoBox("irot", [turns]) }
  static func imir(_ axis: UInt8) -> [UInt8] { isoBox("imir", [axis]) }
  static func clap(_ numbers: Int...) -> [UInt8] {
    isoBox("clap", numbers.flatMap { isoBig($0, 4) })
  }
  static func colr(profile: [UInt8]) -> [UInt8] { isoBox("colr", isoText("prof"), profile) }
  static func colr(codePoints codes: Int...) -> [UInt8] {
    isoBox("colr", isoText("nclx"), codes.flatMap { isoBig($0, 2) }, [0x80])
  }
  static func auxC(_ kind: String) -> [UInt8] { isoFullBox("auxC", isoText(kind), [0]) }

  /// Returns a configuration with one sequence parameter set for this size.
  static func hvcC(
    _ width: Int, _ height: Int, chroma: Int = 1, depth: Int = 8
  ) -> [UInt8] {
    let set = parameterSet(width, height, chroma: chroma, depth: depth)
    return isoBox(
      "hvcC", [1], isoBig(0, 15), [UInt8(0xFC | chroma), UInt8(0xF8 | depth - 8)],
      [UInt8(0xF8 | depth - 8)], isoBig(0, 2), [0x0F], [1], [33], isoBig(1, 2),
      isoBig(set.count, 2), set)
  }

  /// Returns a NAL unit of type 33 (ITU-T H.265, 7.3.2.2) with the fields that the size requires. The size is coded in
  /// blocks of 8 pixels, and the conformance window cuts off the rest.
  static func parameterSet(_ width: Int, _ height: Int, chroma: Int, depth: Int) -> [UInt8] {
    var bits = "0100001" + "000000" + "001" + "0000" + "000" + "1"
    bits += String(repeating: "1", count: 96)
    func golomb(_ value: Int) -> String {
      let binary = String(value + 1, radix: 2)
      return String(repeating: "0", count: binary.count - 1) + binary
    }
    let coded = ((width + 7) / 8 * 8, (height + 7) / 8 * 8)
    let unit = (chroma == 1 || chroma == 2 ? 2 : 1, chroma == 1 ? 2 : 1)
    bits += golomb(0) + golomb(chroma)
    if chroma == 3 { bits += "0" }
    bits += golomb(coded.0) + golomb(coded.1) + "1"
    bits += golomb(0) + golomb((coded.0 - width) / unit.0)
    bits += golomb(0) + golomb((coded.1 - height) / unit.1)
    bits += golomb(depth - 8) + golomb(depth - 8) + "1"
    while bits.count % 8 != 0 { bits += "0" }
    var bytes: [UInt8] = []
    var rest = Substring(bits)
    while !rest.isEmpty {
      let byte = UInt8(rest.prefix(8), radix: 2) ?? 0
      // Emulation prevention.
      if bytes.suffix(2) == [0, 0], byte <= 3 { bytes.append(3) }
      bytes.append(byte)
      rest = rest.dropFirst(8)
    }
    return bytes
  }
}
