import ImageContainers
import Testing

/// Files of a few hundred kilobytes that once took minutes to walk, found by fuzzing.
@Suite struct HEICCostTests {
  @Test(.timeLimit(.minutes(1))) func looksAtALongKindOnceForManyReferences() throws {
    var builder = HEICSample.plain
    let kind = "urn:" + String(repeating: "hdrgainma", count: 30_000)
    builder.items.append(.coded(2, 32, 32, also: [ISOProperty.auxC(kind)]))
    builder.references = (0..<9_000).map { _ in (type: "auxl", from: 2, to: [1]) }
    let facts = try HEICContainer.walk(builder.file())
    #expect(facts.parts.map(\.kind) == [.auxiliaryPicture])
  }
}
