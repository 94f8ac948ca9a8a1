import CSandbox
import Dispatch
import Foundation
import Glibc
package import ImageContainers
import Synchronization

/// The inside of a decoder process: loads the libraries, enters the sandbox, and decodes what comes
/// through descriptor 3 until the other end closes.
///
/// A host calls `serveIfAsked` first thing in `main`, before any thread starts: Landlock holds for the
/// thread that asks for it and for those it starts.
public enum DecoderWorker {
  /// The environment of a worker, all of it.
  static let environment = [
    // Every decode of a HEIC starts many threads: with an arena for each they fill the address space.
    "MALLOC_ARENA_MAX=2",
    // Big buffers come back with every photo: keeping their pages saves faulting them in again.
    "MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=268435456",
    // The sandbox has no room for a debugger.
    "SWIFT_BACKTRACE=enable=no",
    "LC_ALL=C",
  ]

  package struct Options: Sendable {
    /// Bytes of address space.
    package var memoryBytes = DecoderLimits().memoryBytes
    /// Works on a kernel without Landlock or seccomp.
    package var allowsWeakSandbox = false
    /// Decodes nothing, but splits off workers that do, see `DecoderTemplate`.
    package var isTemplate = false
    /// Opens the libraries that only HEIC needs, which takes a fifth of a small photo's time.
    package var decodesHEIC = true
    /// Whether system calls are filtered: false only to see what else holds.
    package var filtersCalls = true

    /// The options of a worker that serves.
    package init() {}
  }

  /// Whether this program is a worker when it is started as one: `serveIfAsked` was called.
  static let isOffered = Atomic(false)

  /// What a worker does with one request and the message that brought it: it reports each stage that
  /// begins, and the end of the last one, which gives what all took.
  package typealias Work = (
    _ request: DecoderRequest, _ message: DecoderMessage,
    _ onStage: (PhotoStage, ImageFacts?) -> Void, _ times: () -> StageTimes
  ) throws -> DecoderMessage

  /// Serves until the other end closes; never returns.
  package static func serve(_ options: Options, _ work: @escaping Work) -> Never {
    let (report, problem) = getReady(options)
    let ready = WorkerReady(
      report: report, problem: problem,
      memoryBytes: report.sandbox?.memoryBytes ?? 0, codeDigest: LoadedCode.digest)
    guard options.isTemplate else { serve(ready, options, work) }
    // Swift's locks know a thread by its number, which its first thread had before it was copied: it
    // may take no lock that another thread wants.
    // Only the new thread works; this one waits for ever.
    nonisolated(unsafe) let work = work
    guard
      OwnThread.detach("petspot-work", stackBytes: 8 << 20, { serve(ready, options, work) })
    else { _exit(70) }
    let never = DispatchSemaphore(value: 0)
    while true { never.wait() }
  }

  private static func serve(_ ready: WorkerReady, _ options: Options, _ work: Work) -> Never {
    let socket = DecoderSocket(descriptor: 3)
    do {
      try reply(.ready, ready, on: socket)
      if ready.problem != nil { _exit(70) }
      while true {
        // We are believed to know what we send.
        let request = try socket.receive { $0 == .request ? .any : .none }
        try serve(request, on: socket, work)
      }
    } catch DecoderSocket.Failure.closed {
      _exit(0)
    } catch {
      _exit(70)
    }
  }

  /// Loads the libraries and enters the sandbox; a template does so in each copy that it splits off.
  ///
  /// - Returns: what runs now, and why it must not be used.
  package static func getReady(
    _ options: Options
  ) -> (report: DecoderReport, problem: PhotoError.Fault?) {
    Sandbox.dieWithParent()
    Sandbox.dieBeforeOthers()
    // A limit on file sizes is no reason to die.
    signal(SIGXFSZ, SIG_IGN)
    // No module of libvips but the one `VipsRuntime` loads: the others bring ImageMagick, PDF, slides.
    setenv("VIPSHOME", "/nonexistent", 1)
    VipsRuntime.decodesHEIC.store(options.decodesHEIC, ordering: .relaxed)
    var report = DecoderReport.current()
    // Without a loader of HEIC the other formats are decoded.
    var problem = report.problems.first { $0 != .heifLoader } ?? ForeignLoaders.problem
    if options.isTemplate {
      warmUp(report)
      DecoderTemplate.splitOff()
      Sandbox.dieWithParent()
    }
    if problem == nil {
      let posture = Sandbox.enter(
        memoryBytes: options.memoryBytes, filtersCalls: options.filtersCalls)
      report.sandbox = posture
      if !options.allowsWeakSandbox { problem = posture.problem }
    }
    return (report, problem)
  }

  /// Does once what every worker would do for its first photo: what Swift looks up then is known in all
  /// copies. No picture is touched: what libraries begin with a first one does not outlive a copy.
  private static func warmUp(_ report: DecoderReport) {
    let request = DecoderRequest(work: .inspect, policy: .init())
    if let json = try? DecoderJSON.encode(request) {
      _ = try? DecoderJSON.decode(DecoderRequest.self, from: json)
    }
    let ready = WorkerReady(
      report: report, problem: nil, memoryBytes: 0, codeDigest: LoadedCode.digest)
    _ = try? DecoderJSON.encode(ready)
    _ = try? DecoderJSON.encode(StageReport(stage: .sniff, pixels: 0))
    let facts = DecodedPhoto.Facts(
      format: .jpeg, pixelWidth: 0, pixelHeight: 0,
      source: SourceFacts(
        sha256: "", orientation: 1, frameCount: 1, hasAlpha: false, colorProfile: "",
        capturedAt: "", hasLocation: false),
      normalization: Normalization(method: .carriedOver), blobFormat: .jpeg, blobFrames: 1,
      previewFormat: .jpeg, perceptualHash: 0, libraries: LibraryVersions.known)
    _ = try? DecoderJSON.encode(DecoderReply(facts: .prepare(facts), times: StageTimes()))
  }

  private static func serve(
    _ message: DecoderMessage, on socket: DecoderSocket, _ work: Work
  ) throws {
    let ticket = message.ticket
    let request = try DecoderJSON.decode(DecoderRequest.self, from: message.json)
    var clock = StageClock()
    var reported: PhotoStage?
    func onStage(_ stage: PhotoStage, _ facts: ImageFacts?) {
      clock.enter(stage)
      // Stage 4 is one to the host, however often it goes from decoding to encoding and back.
      if stage == .encode || stage == .preview || stage == reported { return }
      reported = stage
      let pixels =
        facts.map {
          $0.storedWidth * $0.storedHeight * $0.frameCount + $0.layerPixels
        } ?? 0
      let report = StageReport(stage: stage, pixels: pixels, bitDepth: facts?.bitDepth ?? 8)
      try? reply(.stage, report, ticket: ticket, on: socket)
    }
    var answer: DecoderMessage
    do {
      answer = try work(request, message, onStage) { clock.stop() }
    } catch {
      let refusal = DecoderRefusal(error: PhotoError(any: error), times: clock.stop())
      return try reply(.refusal, refusal, ticket: ticket, on: socket)
    }
    answer.ticket = ticket
    try socket.send(answer)
  }

  private static func reply(
    _ kind: DecoderMessage.Kind, _ value: some Encodable, ticket: UInt64 = 0,
    on socket: DecoderSocket
  ) throws {
    try socket.send(DecoderMessage(kind: kind, json: try DecoderJSON.encode(value), ticket: ticket))
  }
}

/// How a `DecoderPool` asks a program to be its worker, and how the program sees that it is asked.
extension DecoderWorker.Options {
  /// The last argument of a worker that doesn't decode HEIC.
  static let withoutHEIC = "--without-heic"

  /// The arguments that a program is started with.
  var arguments: [String] {
    ["decode-worker", "--memory", String(memoryBytes)]
      + (allowsWeakSandbox ? ["--allow-weak-sandbox"] : []) + (isTemplate ? ["--template"] : [])
      + (decodesHEIC ? [] : [Self.withoutHEIC])
  }

  /// The options that a pool has asked for; nil when these are a program's arguments for anything
  /// else.
  init?(arguments: [String]) {
    guard arguments.count >= 3, let memoryBytes = Int(arguments[2]) else { return nil }
    self.memoryBytes = memoryBytes
    allowsWeakSandbox = arguments.contains("--allow-weak-sandbox")
    isTemplate = arguments.contains("--template")
    decodesHEIC = !arguments.contains(Self.withoutHEIC)
    guard arguments == self.arguments else { return nil }
  }

  /// What this process was asked for, nil when it was not started as a worker: without a keeper's
  /// socket as descriptor 3, a person has typed such arguments.
  package static func ofProcess() -> Self? {
    var status = stat()
    guard fstat(3, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return Self(arguments: Array(CommandLine.arguments.dropFirst()))
  }
}
