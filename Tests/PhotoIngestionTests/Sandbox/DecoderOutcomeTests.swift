import ImageContainers
import Foundation
import SystemPackage
import Testing
import TestPictures

@testable import PhotoIngestion

/// A hostile worker misbehaves, after it parsed a photo, in the way that the photo's last bytes request.
@Suite("Every way in which a worker ends is one error")
struct DecoderOutcomeTests {
  private func pool(
    _ limits: DecoderLimits = .init(), trust: DecoderTrust = .owner(photosPerWorker: 100),
    ledger: CrashLedger? = nil
  ) -> DecoderPool {
    DecoderPool(
      executable: Petspot.beside("HostileDecoder"), trust: trust, spares: 0, limits: limits,
      ledger: ledger)
  }

  private static func photo(
    _ misbehavior: String? = nil, image: String = "baseline-420.jpg"
  ) throws -> PhotoSource {
    let data = try Data(contentsOf: TestImage.folder.appending(path: image))
    let tail = misbehavior.map { "misbehave:" + $0 } ?? ""
    return .bytes([UInt8](data) + [UInt8](tail.utf8), name: "photo.jpg")
  }

  private func error(_ misbehavior: String, _ pipeline: PhotoPipeline) throws -> PhotoError? {
    let photo = try Self.photo(misbehavior)
    let error = #expect(throws: PhotoError.self) { try pipeline.prepare(photo) }
    // The next photo is prepared.
    #expect(throws: Never.self) { try pipeline.prepare(Self.photo()) }
    return error
  }

  @Test(
    "A crash is the photo's fault",
    arguments: ["segv", "bus", "abort", "trap", "breakpoint", "sys", "leave", "hang-up"])
  func crash(_ misbehavior: String) throws {
    let pipeline = PhotoPipeline(decoding: .sandboxed(pool()))
    #expect(try error(misbehavior, pipeline) == .corrupt(what: "decoder-crash"))
  }

  @Test("After a crash of a used worker, a fresh one tries again, and only its crash is counted")
  func crashOfUsed() throws {
    let pipeline = PhotoPipeline(decoding: .sandboxed(pool()))
    _ = try pipeline.prepare(Self.photo())
    #expect(try error("segv", pipeline) == .corrupt(what: "decoder-crash"))
  }

  @Test(
    "A photo whose worker is killed from outside is tried once more, then fails with an internal error"
  )
  func killed() throws {
    #expect(
      try error("kill", PhotoPipeline(decoding: .sandboxed(pool()))) == .fault(.decoderKilled))
  }

  @Test("Processor time has a limit")
  func spin() throws {
    var limits = DecoderLimits()
    limits.cpuTime = .seconds(1)
    // On a busy machine, that second of processor time takes longer.
    limits.wallTime = .seconds(300)
    let error = try error("spin", PhotoPipeline(decoding: .sandboxed(pool(limits))))
    #expect(error == .timeout(seconds: 1))
  }

  @Test("A worker that ignores the signal to end is killed")
  func defy() throws {
    var limits = DecoderLimits()
    limits.cpuTime = .seconds(1)
    limits.wallTime = .seconds(300)
    let error = try error(
      "defy", PhotoPipeline(decoding: .sandboxed(pool(limits, trust: .strangers))))
    #expect(error == .timeout(seconds: 1))
  }

  @Test(
    "An answer that no real worker gives ends the worker, and the photo is refused",
    arguments: [
      "huge-answer", "huge-stage", "big-blob", "endless-stages", "other-answer", "garbage",
    ])
  func nonsense(_ misbehavior: String) throws {
    let pool = pool()
    let pipeline = PhotoPipeline(decoding: .sandboxed(pool))
    _ = try pipeline.prepare(Self.photo())
    let worker = pool.idleWorkers
    let start = ContinuousClock.now
    #expect(try error(misbehavior, pipeline) == .fault(.decoderAnswer))
    // The worker ends at the header, not when a time limit expires.
    #expect(ContinuousClock.now - start < .seconds(15))
    #expect(pool.idleWorkers.count == 1 && pool.idleWorkers != worker)
  }

  @Test("An answer in advance isn't used for the next photo")
  func answerAhead() throws {
    let pipeline = PhotoPipeline(decoding: .sandboxed(pool()))
    _ = try pipeline.prepare(Self.photo("answer-twice"))
    for image in ["baseline-444.jpg", "alpha.png"] {
      let next = try Self.photo(image: image)
      #expect(try pipeline.prepare(next) == PhotoPipeline(decoding: .inProcess).prepare(next))
      _ = try pipeline.prepare(Self.photo("answer-twice"))
    }
  }

  @Test("Wall time has a limit")
  func sleep() throws {
    var limits = DecoderLimits()
    limits.wallTime = .seconds(2)
    let error = try error("sleep", PhotoPipeline(decoding: .sandboxed(pool(limits))))
    #expect(error == .timeout(seconds: 2))
  }

  @Test("Memory has a limit")
  func allocate() throws {
    var limits = DecoderLimits()
    limits.memoryBytes = 1 << 30
    // On a busy machine, allocating a gigabyte takes long.
    limits.wallTime = .seconds(300)
    let error = try error("allocate", PhotoPipeline(decoding: .sandboxed(pool(limits))))
    guard case .tooLarge(.memory, let actual, 1_073_741_824) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(actual >= 1 << 30)
  }

  @Test("Running out of memory is reported as such, even if the host held more before")
  func allocateLess() throws {
    // The system counts this memory as the worker's, because the worker starts as a copy of the host.
    let held = [UInt8](repeating: 1, count: 1100 << 20)
    var limits = DecoderLimits()
    // More than twice the address space of the program of all tests and its libraries.
    limits.memoryBytes = 1 << 30
    limits.wallTime = .seconds(300)
    let error = try error("allocate", PhotoPipeline(decoding: .sandboxed(pool(limits))))
    #expect(error == .tooLarge(.memory, actual: 1 << 30, limit: 1 << 30))
    #expect(held.last == 1)
  }

  @Test(
    "A photo that crashed a decoder is tried again only with other code",
    arguments: ["segv", "trap", "breakpoint"])
  func remembered(_ misbehavior: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let ledger = CrashLedger(folder: FilePath(folder.path))
    _ = try error(misbehavior, PhotoPipeline(decoding: .sandboxed(pool(ledger: ledger))))

    // Running out of memory is the only failure that is refused without a worker.
    let later = pool(ledger: ledger)
    #expect(throws: PhotoError.corrupt(what: "decoder-crash")) {
      try PhotoPipeline(decoding: .sandboxed(later)).prepare(Self.photo(misbehavior))
    }
    #expect(later.idleWorkers.count == 1)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count == 1)
    let file = folder.appending(path: try #require(files.first))
    // The build includes libvips, libwebp, libheif, FFmpeg and our own code.
    let build = try String(contentsOf: file, encoding: .utf8)
    #expect(build.count == 64)
    try Data(String(build.reversed()).utf8).write(to: file)
    let friendly = PhotoPipeline(
      decoding: .sandboxed(DecoderPool(executable: Petspot.path, ledger: ledger)))
    #expect(throws: Never.self) { try friendly.prepare(Self.photo(misbehavior)) }
  }
}
