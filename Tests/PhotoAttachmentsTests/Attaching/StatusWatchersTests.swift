import Testing

@testable import PhotoAttachments

@Suite struct StatusWatchersTests {
  @Test func aStreamThatEndedBeforeItWasAddedIsNotKept() {
    let watchers = StatusWatchers()
    let (_, ended) = AsyncStream<PhotoAttachmentStatus>.makeStream()
    ended.finish()
    watchers.add(ended, draft: "a", current: .empty)
    #expect(watchers.count(draft: "a") == 0)
    let (stream, continuation) = AsyncStream<PhotoAttachmentStatus>.makeStream()
    watchers.add(continuation, draft: "a", current: .empty)
    #expect(watchers.count(draft: "a") == 1)
    continuation.finish()
    #expect(watchers.count(draft: "a") == 0)
    _ = stream
  }
}
