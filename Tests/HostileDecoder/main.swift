import Glibc
import PhotoIngestion

// A hostile decoder for tests and `Scripts/faults`. Started as a worker, it misbehaves for photos that end in
// `misbehave:` and the name of a misbehavior. With `--attack NAME TARGET [--without-seccomp]` it tries to escape from
// the sandbox.
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
