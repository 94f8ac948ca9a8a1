import ImageContainers
import Testing

@Suite struct HEICCleanTests {
  @Test(arguments: 0..<HEICSample.all.count)
  func keepsThePictureAndNothingElse(sample: Int) throws {
    let file = HEICSample.all[sample].file()
    var before = try HEICContainer.parse(file)
    let cleaned = try HEICContainer.clean(file)
    let after = try HEICContainer.parse(cleaned)
    before.parts = []
    before.repairs = []
    #expect(after == before)
    #expect(try HEICContainer.clean(cleaned) == cleaned)
    #expect(try HEICContainer.clean(file) == cleaned)
  }

  @Test func copiesCodedDataBitForBit() throws {
    let builder = HEICSample.phone
    let cleaned = try HEICContainer.clean(builder.file())
    let order = [7, 1, 2, 3, 4, 5, 6]
    let data = order.flatMap { id in builder.items.first { $0.id == id }?.data ?? [] }
    #expect(cleaned.suffix(data.count) == data[...])
    #expect(
      cleaned.dropLast(data.count).suffix(8) == (isoBig(data.count + 8, 4) + isoText("mdat"))[...])
  }

  @Test func leavesNoMarkerOfAnyCarrier() throws {
    var builder = HEICSample.phone
    let marker = "MARKER"
    builder.items[11] = .exif(12, marker)
    builder.items[12] = .xmp(13, marker)
    builder.items.append(.init(id: 14, type: "uri ", data: isoText(marker), name: marker))
    builder.items[0].name = marker
    builder.items[6].properties.append(isoFullBox("udes", isoText(marker)))
    builder.handlerName = marker
    builder.slack = isoText(marker)
    builder.trailing = isoText(marker)
    builder.metaBoxes = [
      isoBox("free", isoText(marker)), isoBox("uuid", isoText(marker + marker + marker)),
    ]
    builder.boxes = ["free", "skip", "udta", "uuid", "moov", "mpvd"].map {
      isoBox($0, isoText(marker))
    }
    let file = builder.file()
    func count(_ bytes: [UInt8]) -> Int {
      bytes.indices.count { bytes[$0...].starts(with: isoText(marker)) }
    }
    #expect(count(file) == 19)
    #expect(count(try HEICContainer.clean(file)) == 0)
  }

  @Test func writesReferencesWithOneTarget() throws {
    var builder = HEICBuilder()
    builder.items = [
      .grid(1, rows: 1, columns: 2, 128, 64), .coded(2, 64, 64), .coded(3, 64, 64),
      .coded(4, 64, 64, chroma: 0, also: [ISOProperty.auxC(HEICSample.alpha)]),
    ]
    builder.references = [("dimg", 1, [2, 3]), ("auxl", 4, [2, 3])]
    let cleaned = try HEICContainer.clean(builder.file())
    let iref = isoFullBox(
      "iref", isoBox("dimg", isoBig(1, 2), isoBig(2, 2), isoBig(2, 2), isoBig(3, 2)),
      isoBox("auxl", isoBig(4, 2), isoBig(1, 2), isoBig(2, 2)),
      isoBox("auxl", isoBig(4, 2), isoBig(1, 2), isoBig(3, 2)))
    #expect(cleaned.indices.contains { cleaned[$0...].starts(with: iref) })
    #expect(try HEICContainer.parse(cleaned).repairs.isEmpty)
  }

  @Test func putsTransformationsLast() throws {
    var builder = HEICSample.plain
    builder.items[0].properties.insert(ISOProperty.irot(1), at: 0)
    builder.items[0].properties.append(ISOProperty.imir(0))
    let cleaned = try HEICContainer.clean(builder.file())
    let order = ["ispe", "hvcC", "irot", "imir"].map { type in
      cleaned.indices.first { cleaned[$0...].starts(with: isoText(type)) } ?? 0
    }
    #expect(order == order.sorted() && order[0] > 0)
    #expect(try HEICContainer.parse(cleaned).storedWidth == 48)
  }

  @Test func sharesDataThatItemsShare() throws {
    var builder = HEICBuilder()
    builder.items = [.grid(1, rows: 2, columns: 2, 128, 128), .coded(2, 64, 64, count: 1000)]
    builder.references = [("dimg", 1, [2, 2, 2, 2])]
    let file = builder.file()
    let cleaned = try HEICContainer.clean(file)
    #expect(cleaned.count <= file.count)
    #expect(try HEICContainer.parse(cleaned) == HEICContainer.parse(file))
  }

  @Test func repairsAnEmptyProfile() throws {
    var builder = HEICSample.plain
    builder.items[0].properties.append(ISOProperty.colr(profile: []))
    let file = builder.file()
    #expect(try HEICContainer.parse(file).repairs == ["heif-empty-colr"])
    let cleaned = try HEICContainer.clean(file)
    #expect(!cleaned.indices.contains { cleaned[$0...].starts(with: isoText("colr")) })
    #expect(try HEICContainer.parse(cleaned).repairs.isEmpty)
  }
}
