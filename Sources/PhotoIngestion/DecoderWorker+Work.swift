package import ImageContainers
import Synchronization

extension DecoderWorker {
  /// Makes this program its own decoder. In a process that a `DecoderPool` of this program started as a worker, serves
  /// requests and never returns. In any other process, returns at once.
  ///
  /// Call it first in `main`, which may be `async`, before anything starts a thread. A worker with a second thread
  /// refuses to work (`PhotoError.fault(.sandboxThreads)`).
  public static func serveIfAsked() {
    if let options = Options.ofProcess() { serve(options, answer) }
    isOffered.store(true, ordering: .releasing)
  }

  /// Handles one request with `InProcessDecoder`. This is the `Work` of a real worker, and tests wrap it.
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
