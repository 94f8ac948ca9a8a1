import Glibc
import ImageContainers
import Testing

/// Files of a few hundred kilobytes that took minutes to parse before a fix; fuzzing found them.
@Suite struct HEICCostTests {
  /// Returns the seconds of processor time of this thread, which don't increase on a busy machine.
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
