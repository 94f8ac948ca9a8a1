import Testing

@testable import PetSpotServer

@Suite("Open event streams")
struct StatusStreamsTests {
  private let streams = StatusStreams(perClient: 2)
  private func client(_ number: UInt8) -> ClientNetwork { .ipv4([192, 0, 2, number]) }

  /// Returns whether a stream has ended.
  private func hasEnded(_ stream: StatusStream) -> Bool { !stream.noteChange() }

  @Test("A newer stream of a draft and client ends the older one")
  func newer() {
    let first = streams.open("a", client(1))
    let other = streams.open("a", client(2))
    let second = streams.open("a", client(1))
    #expect(hasEnded(first) && !hasEnded(other) && !hasEnded(second))
    // Closing the older stream doesn't close the newer one.
    streams.close(first)
    _ = streams.open("a", client(1))
    #expect(hasEnded(second))
  }

  @Test("When a client has too many streams, its oldest one ends")
  func share() {
    let opened = ["a", "b", "c"].map { streams.open($0, client(1)) }
    #expect(opened.map(hasEnded) == [true, false, false])
  }

  @Test("A reader of the stream sees all changes before its look", .timeLimit(.minutes(1)))
  func changes() async {
    let stream = streams.open("a", client(1))
    var looks = stream.wakeUps.makeAsyncIterator()
    #expect(await looks.next() != nil)
    #expect(stream.takeChange() && !stream.takeChange())
    #expect(stream.noteChange() && stream.noteChange())
    #expect(await looks.next() != nil)
    #expect(stream.takeChange())
    stream.end()
    #expect(await looks.next() == nil)
  }
}
