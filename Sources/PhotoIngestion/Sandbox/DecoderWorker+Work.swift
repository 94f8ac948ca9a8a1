package import ImageContainers
import Synchronization

extension DecoderWorker {
  /// Makes this program its own decoder. Returns at once, but in a process that a `DecoderPool` of this
  /// program has started to decode: there it serves and never returns.
  ///
  /// Call it first thing in `main`, which may be `async`, before anything starts a thread: a worker with
  /// a second thread refuses to work (`PhotoError.fault(.sandboxThreads)`).
  public static func serveIfAsked() {
    if let options = Options.ofProcess() { serve(options, answer) }
    isOffered.store(true, ordering: .releasing)
  }

  /// Does what a request asks for.
  package static func answer(
    _ request: DecoderRequest, message: DecoderMessage,
    onStage: (PhotoStage, ImageFacts?) -> Void, times: () -> StageTimes
  ) throws -> DecoderMessage {
    let answer = try InProcessDecoder.answer(request, about: message.first, onStage: onStage)
    let reply = DecoderReply(facts: answer.facts, times: times())
    return DecoderMessage(
      kind: .answer, json: try DecoderJSON.encode(reply), first: answer.first,
      second: answer.second)
  }
}
