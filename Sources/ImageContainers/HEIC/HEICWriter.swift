/// Writes the smallest file that contains a picture.
///
/// Items are renumbered from 1 in the picture's order, and properties in the order of their first use, so cleaning a
/// cleaned file again gives the same bytes. Coded data is copied unchanged. The output has nothing that libheif 1.15
/// rejects (several targets of `cdsc` or `auxl`, an empty `colr`, references to items that aren't pictures).
struct HEICWriter {
  private let meta: HEICMeta
  private let picture: HEICPicture
  private let numbers: [Int: Int]
  /// The original indices of the kept properties.
  private var properties: [Int] = []
  /// For each item, the numbers of its properties (from 1) and whether they are essential.
  private var associations: [[(number: Int, isEssential: Bool)]] = []
  /// For each item, the offset of its data in the new `mdat` body, and its length.
  private var places: [(offset: Int, length: Int)] = []
  private var data: [[Range<Int>]] = []
  private var dataCount = 0

  init(_ meta: HEICMeta, _ picture: HEICPicture) throws(ContainerError) {
    self.meta = meta
    self.picture = picture
    numbers = Dictionary(
      uniqueKeysWithValues: picture.items.enumerated().map { ($1.id, $0 + 1) })
    var propertyNumbers: [Int: Int] = [:]
    var knownPlaces: [[Range<Int>]: (offset: Int, length: Int)] = [:]
    for item in picture.items {
      let leavesMirror = picture.remainingMirroring != 1 && item.id == picture.items[0].id
      let kept = (meta.associations[item.id] ?? []).filter {
        let property = meta.properties[$0.property]
        if case .mirror = property.value { return !leavesMirror }
        return property.isNeeded
      }
      // libheif computes the declared size only from the properties after `ispe`.
      let ordered =
        kept.filter { !meta.properties[$0.property].isTransformation }
        + kept.filter { meta.properties[$0.property].isTransformation }
      for association in ordered where propertyNumbers[association.property] == nil {
        properties.append(association.property)
        propertyNumbers[association.property] = properties.count
      }
      associations.append(
        ordered.map { (propertyNumbers[$0.property] ?? 0, $0.isEssential) })
      if let place = knownPlaces[item.ranges] {
        places.append(place)
      } else {
        let place = (dataCount, item.ranges.reduce(0) { $0 + $1.count })
        knownPlaces[item.ranges] = place
        places.append(place)
        data.append(item.ranges)
        dataCount += place.1
      }
    }
    guard picture.items.count < 1 << 16, properties.count < 1 << 15, dataCount < 1 << 31 else {
      throw .malformed("heif-too-large", offset: meta.box.range.lowerBound)
    }
  }

  /// Returns the whole file.
  func file() -> [UInt8] {
    let output = ISOBoxBuilder(capacity: dataCount + 4096)
    output.box("ftyp") { output.text("heic").big(0, 4).text("mif1heic") }
    // The values of the offsets don't change the box's length.
    let head = ISOBoxBuilder(capacity: 4096)
    writeMeta(to: head, dataOffset: 0)
    writeMeta(to: output, dataOffset: output.bytes.count + head.bytes.count + 8)
    output.big(dataCount + 8, 4).text("mdat")
    for range in data.joined() { output.append(meta.bytes[range]) }
    return output.bytes
  }

  private func writeMeta(to output: ISOBoxBuilder, dataOffset: Int) {
    output.fullBox("meta") {
      output.fullBox("hdlr") { output.big(0, 4).text("pict").big(0, 6).big(0, 7) }
      output.fullBox("pitm") { output.big(1, 2) }
      output.fullBox("iloc") {
        output.big(0x4400, 2).big(places.count, 2)
        for (index, place) in places.enumerated() {
          output.big(index + 1, 2).big(0, 2).big(1, 2)
          output.big(dataOffset + place.offset, 4).big(place.length, 4)
        }
      }
      output.fullBox("iinf") {
        output.big(picture.items.count, 2)
        for (index, item) in picture.items.enumerated() {
          // Tiles and alpha are hidden because they aren't pictures of their own.
          output.fullBox("infe", version: 2, flags: index == 0 ? 0 : 1) {
            output.big(index + 1, 2).big(0, 2).text(item.type).big(0, 1)
          }
        }
      }
      writeReferences(to: output)
      output.box("iprp") {
        output.box("ipco") {
          for box in properties.map({ meta.properties[$0].box }) {
            output.box(box.type) { output.append(meta.bytes[box.body]) }
          }
        }
        writeAssociations(to: output)
      }
    }
  }

  private func writeReferences(to output: ISOBoxBuilder) {
    guard picture.items.count > 1 else { return }
    func write(_ type: String, from: Int, to: [Int]) {
      output.box(type) {
        output.big(from, 2).big(to.count, 2)
        for id in to { output.big(numbers[id] ?? 0, 2) }
      }
    }
    output.fullBox("iref") {
      for (index, item) in picture.items.enumerated() {
        if !item.tiles.isEmpty { write("dimg", from: index + 1, to: item.tiles) }
        // One box per target, because libheif 1.15 rejects several targets in a box.
        for master in item.alphaOf { write("auxl", from: index + 1, to: [master]) }
        if let alpha = item.premultipliedBy { write("prem", from: index + 1, to: [alpha]) }
      }
    }
  }

  private func writeAssociations(to output: ISOBoxBuilder) {
    let isWide = properties.count > 0x7F
    output.fullBox("ipma", flags: isWide ? 1 : 0) {
      output.big(associations.count, 4)
      for (index, entry) in associations.enumerated() {
        output.big(index + 1, 2).big(entry.count, 1)
        for (number, isEssential) in entry {
          let mark = isEssential ? (isWide ? 0x8000 : 0x80) : 0
          output.big(mark | number, isWide ? 2 : 1)
        }
      }
    }
  }
}

/// Builds boxes and fills in their sizes after their bodies have been written.
final class ISOBoxBuilder {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  func box(_ type: String, _ body: () -> Void) {
    let start = bytes.count
    big(0, 4).text(type)
    body()
    let size = bytes.count - start
    for index in 0..<4 {
      bytes[start + index] = UInt8(truncatingIfNeeded: size >> (24 - 8 * index))
    }
  }

  func fullBox(_ type: String, version: Int = 0, flags: Int = 0, _ body: () -> Void) {
    box(type) {
      big(version, 1).big(flags, 3)
      body()
    }
  }

  @discardableResult
  func big(_ value: Int, _ count: Int) -> ISOBoxBuilder {
    for index in (0..<count).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
    }
    return self
  }

  @discardableResult
  func text(_ text: String) -> ISOBoxBuilder {
    bytes.append(contentsOf: text.utf8)
    return self
  }

  func append(_ slice: ArraySlice<UInt8>) { bytes.append(contentsOf: slice) }
}
