import Glibc
import PhotoIngestion

// A decoder that is no friend, for tests and `Scripts/faults`. Started as a worker it obeys photos that end in
// `misbehave:` and a word; with `--attack NAME TARGET [--without-seccomp]` it tries to get out of the sandbox.
let arguments = CommandLine.arguments.dropFirst()
if let options = DecoderWorker.Options.ofProcess() {
  DecoderWorker.serve(options) { request, message, onStage, times in
    let misbehavior = Misbehavior(in: message.first)
    var answer = try DecoderWorker.answer(request, message: message) { stage, facts in
      onStage(stage, facts)
      if stage == .decode { misbehavior?.act(message.ticket) }
    } times: {
      times()
    }
    if misbehavior == .answerTwice {
      answer.ticket = message.ticket
      try? DecoderSocket(descriptor: 3).send(answer)
    }
    return answer
  }
}
guard arguments.count >= 3, arguments.first == "--attack",
  let attempt = EscapeAttempt(rawValue: arguments[2])
else { exit(64) }
attempt.run(target: arguments[3], withoutSeccomp: arguments.last == "--without-seccomp")
