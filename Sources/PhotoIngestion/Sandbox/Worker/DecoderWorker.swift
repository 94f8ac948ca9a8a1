import CSandbox
import Dispatch
import Foundation
import Glibc
package import ImageContainers
import Synchronization

/// The inside of a decoder process. Loads the libraries, enters the sandbox, and decodes the photos that arrive through
/// descriptor 3 until the other end closes.
///
/// A host calls `serveIfAsked` first in `main`, before any thread starts. Landlock applies only to the calling thread
/// and the threads that it starts.
public enum DecoderWorker {
  /// The complete environment of a worker.
  static let environment = [
    // Decoding a HEIC starts many threads. With an arena for each, they would fill the address space.
    "MALLOC_ARENA_MAX=2",
    // Every photo needs large buffers again, so keeping their pages avoids page faults.
    "MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=268435456",
    // The sandbox has no room for a debugger.
    "SWIFT_BACKTRACE=enable=no",
    "LC_ALL=C",
  ]

  /// The options of a worker. A `DecoderPool` passes all except `filtersCalls` to it as command-line arguments.
  package struct Options: Sendable {
    /// The maximum address space in bytes.
    package var memoryBytes = DecoderLimits().memoryBytes
    /// `true` allows work on a kernel without Landlock or seccomp.
    package var allowsWeakSandbox = false
    /// `true` for a process that decodes nothing, but splits off workers that do. See `DecoderTemplate`.
    package var isTemplate = false
    /// `false` skips the libraries that only HEIC needs. Loading them takes a fifth of the time of a small photo.
    package var decodesHEIC = true
    /// `false` disables the filter of system calls, so that tests can check the remaining protection.
    package var filtersCalls = true

    package init() {}
  }

  /// `true` if `serveIfAsked` was called, so that this program can run as a worker.
  static let isOffered = Atomic(false)

  /// Handles one request and the message that contained it. Calls `onStage` when a stage begins. Calls `times` at the
  /// end to get the time spent in each stage.
  package typealias Work = (
    _ request: DecoderRequest, _ message: DecoderMessage,
    _ onStage: (PhotoStage, ImageFacts?) -> Void, _ times: () -> StageTimes
  ) throws -> DecoderMessage

  /// Serves until the other end closes. Never returns.
  package static func serve(_ options: Options, _ work: @escaping Work) -> Never {
    let (report, problem) = getReady(options)
    let ready = WorkerReady(
      report: report, problem: problem,
      memoryBytes: report.sandbox?.memoryBytes ?? 0, codeDigest: LoadedCode.digest)
    guard options.isTemplate else { serve(ready, options, work) }
    // Swift's locks identify a thread by its ID. In a split-off copy, the first thread still uses its ID from before
    // the copy, so it must not take a lock that other threads use. Only a new thread works, and this one waits forever.
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
        // The worker trusts its host, so a request of any practical size is accepted.
        let request = try socket.receive { $0 == .request ? .any : .none }
        try serve(request, on: socket, work)
      }
    } catch DecoderSocket.Failure.closed {
      _exit(0)
    } catch {
      _exit(70)
    }
  }

  /// Loads the libraries and enters the sandbox. In a template, loads the libraries once, and each split-off copy
  /// enters its own sandbox.
  ///
  /// - Returns: the capabilities, and the reason why the worker must not be used.
  package static func getReady(
    _ options: Options
  ) -> (report: DecoderReport, problem: PhotoError.Fault?) {
    Sandbox.dieWithParent()
    Sandbox.dieBeforeOthers()
    // Exceeding a limit on file sizes must not kill the worker.
    signal(SIGXFSZ, SIG_IGN)
    // Keep libvips from loading other modules than the one that `VipsRuntime` loads. They add ImageMagick, PDF and
    // OpenSlide.
    setenv("VIPSHOME", "/nonexistent", 1)
    VipsRuntime.decodesHEIC.store(options.decodesHEIC, ordering: .relaxed)
    var report = DecoderReport.current()
    // Without a HEIC loader, the other formats still work.
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

  /// Runs the code that every worker would run for its first photo, so that all copies share the results of Swift's
  /// runtime lookups. Decodes no picture, because the state that libraries set up for the first one does not survive a
  /// copy.
  private static func warmUp(_ report: DecoderReport) {
    let request = DecoderRequest(work: .inspect(decodes: false), policy: .init())
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
      // The host sees stage 4 as one stage, even if it alternates between decoding and encoding.
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

/// The command line by which a `DecoderPool` starts a program as its worker.
extension DecoderWorker.Options {
  var arguments: [String] {
    ["decode-worker", "--memory", String(memoryBytes)]
      + (allowsWeakSandbox ? ["--allow-weak-sandbox"] : []) + (isTemplate ? ["--template"] : [])
      + (decodesHEIC ? [] : ["--without-heic"])
  }

  /// Parses the arguments of a worker. `nil` if the program was started for anything else.
  init?(arguments: [String]) {
    guard arguments.count >= 3, let memoryBytes = Int(arguments[2]) else { return nil }
    self.memoryBytes = memoryBytes
    allowsWeakSandbox = arguments.contains("--allow-weak-sandbox")
    isTemplate = arguments.contains("--template")
    decodesHEIC = !arguments.contains("--without-heic")
    guard arguments == self.arguments else { return nil }
  }

  /// Returns the options of this process. `nil` if it was not started as a worker. Without a socket as descriptor 3, a
  /// person typed the arguments.
  package static func ofProcess() -> Self? {
    var status = stat()
    guard fstat(3, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return Self(arguments: Array(CommandLine.arguments.dropFirst()))
  }
}
