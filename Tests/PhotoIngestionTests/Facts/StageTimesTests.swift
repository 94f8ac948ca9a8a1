import Foundation
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite struct StageTimesTests {
  @Test func timesAddUpStageByStage() {
    var sum = StageTimes()
    sum[.decode] = 1
    var more = StageTimes()
    (more[.decode], more[.store]) = (2, 0.5)
    sum += more
    #expect(sum[.decode] == 3 && sum[.store] == 0.5 && sum[.encode] == 0)
  }

  @Test func aClockCountsTheStageThatIsEnteredAndNoOther() {
    var clock = StageClock(.read)
    clock.enter(.decode)
    let times = clock.stop()
    #expect(times[.read] > 0 && times[.decode] > 0 && times[.preview] == 0)
    // Time after the end belongs to no stage.
    clock.enter(nil)
    #expect(clock.stop() == times)
  }

  @Test func workersSendTheirsAsJSON() throws {
    var times = StageTimes()
    times[.sniff] = 0.25
    let json = try DecoderJSON.encode(times)
    #expect(try DecoderJSON.decode(StageTimes.self, from: json) == times)
  }

  @Test("Every stage that ran is timed, even for a refused photo")
  func stagesOfThePipeline() throws {
    var times = StageTimes()
    let image = try #require(TestImage.accepted.first)
    let received = try Receiver.receive(image.source, limit: .max)
    _ = try PhotoPipeline(decoding: .inProcess).prepare(received, &times)
    #expect([.sniff, .parse, .probe, .decode, .preview, .verify].allSatisfy { times[$0] > 0 })
    var refused = StageTimes()
    let text = ReceivedFile(name: "a", bytes: Array("no photo".utf8), sha256: "")
    #expect(throws: PhotoError.self) {
      try PhotoPipeline(decoding: .inProcess).prepare(text, &refused)
    }
    #expect(refused[.sniff] > 0 && refused[.decode] == 0)
  }
}
