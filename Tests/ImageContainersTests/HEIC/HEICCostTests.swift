import Glibc
import ImageContainers
import Testing

/// Files of a few hundred kilobytes that once took minutes to parse, found by fuzzing.
@Suite struct HEICCostTests {
  /// Seconds of the processor, which a busy machine does not lengthen.
  private func processorSeconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
  }

  @Test func looksAtALongKindOnceForManyReferences() throws {
    var builder = HEICSample.plain
    let kind = "urn:" + String(repeating: "hdrgainma", count: 30_000)
    builder.items.append(.coded(2, 32, 32, also: [ISOProperty.auxC(kind)]))
    builder.references = (0..<9_000).map { _ in (type: "auxl", from: 2, to: [1]) }
    let file = builder.file()
    let start = processorSeconds()
    let facts = try HEICContainer.parse(file)
    #expect(processorSeconds() - start < 30)
    #expect(facts.parts.map(\.kind) == [.auxiliaryPicture])
  }
}
