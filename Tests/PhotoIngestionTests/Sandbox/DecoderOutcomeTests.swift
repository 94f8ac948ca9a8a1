import ImageContainers
import Foundation
import SystemPackage
import Testing
import TestPictures

@testable import PhotoIngestion

/// A hostile worker misbehaves as a photo's last bytes say, after the photo was parsed.
@Suite("Every end of a worker is one error")
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
    // The next photo works.
    #expect(throws: Never.self) { try pipeline.prepare(Self.photo()) }
    return error
  }

  @Test(
    "A crash is the photo's fault",
    arguments: ["segv", "bus", "abort", "trap", "breakpoint", "sys", "leave", "hang-up"])
  func crash(_ misbehavior: String) throws {
    let pipeline = PhotoPipeline(decoders: pool())
    #expect(try error(misbehavior, pipeline) == .corrupt(what: "decoder-crash"))
  }

  @Test("A crash of a used worker is tried again in a fresh one, and counted once it crashed that")
  func crashOfUsed() throws {
    let pipeline = PhotoPipeline(decoders: pool())
    _ = try pipeline.prepare(Self.photo())
    #expect(try error("segv", pipeline) == .corrupt(what: "decoder-crash"))
  }

  @Test("A worker killed from outside is tried once more, then it is our fault")
  func killed() throws {
    #expect(
      try error("kill", PhotoPipeline(decoders: pool())) == .fault(.decoderKilled))
  }

  @Test("Processor time has a limit")
  func spin() throws {
    var limits = DecoderLimits()
    limits.cpuSeconds = 1
    limits.wallSeconds = 300  // a busy machine gives that second late
    let error = try error("spin", PhotoPipeline(decoders: pool(limits)))
    #expect(error == .timeout(seconds: 1))
  }

  @Test("Who is deaf to its end is ended all the same")
  func defy() throws {
    var limits = DecoderLimits()
    limits.cpuSeconds = 1
    limits.wallSeconds = 300
    let error = try error("defy", PhotoPipeline(decoders: pool(limits, trust: .strangers)))
    #expect(error == .timeout(seconds: 1))
  }

  @Test(
    "An answer that no worker gives ends the worker, and the photo is not taken",
    arguments: [
      "huge-answer", "huge-stage", "big-blob", "endless-stages", "other-answer", "garbage",
    ])
  func nonsense(_ misbehavior: String) throws {
    let pool = pool()
    let pipeline = PhotoPipeline(decoders: pool)
    _ = try pipeline.prepare(Self.photo())
    let worker = pool.idleWorkers
    let start = ContinuousClock.now
    #expect(try error(misbehavior, pipeline) == .fault(.decoderAnswer))
    // At its header, not when a clock runs out.
    #expect(ContinuousClock.now - start < .seconds(15))
    #expect(pool.idleWorkers.count == 1 && pool.idleWorkers != worker)
  }

  @Test("An answer given ahead is no answer to the next photo")
  func answerAhead() throws {
    let pipeline = PhotoPipeline(decoders: pool())
    _ = try pipeline.prepare(Self.photo("answer-twice"))
    for image in ["baseline-444.jpg", "alpha.png"] {
      let next = try Self.photo(image: image)
      #expect(try pipeline.prepare(next) == PhotoPipeline(decoders: nil).prepare(next))
      _ = try pipeline.prepare(Self.photo("answer-twice"))
    }
  }

  @Test("So has time on the wall")
  func sleep() throws {
    var limits = DecoderLimits()
    limits.wallSeconds = 2
    let error = try error("sleep", PhotoPipeline(decoders: pool(limits)))
    #expect(error == .timeout(seconds: 2))
  }

  @Test("So has memory")
  func allocate() throws {
    var limits = DecoderLimits()
    limits.memoryBytes = 1 << 30
    limits.wallSeconds = 300  // a busy machine gives a gigabyte late
    let error = try error("allocate", PhotoPipeline(decoders: pool(limits)))
    guard case .tooLarge(.memory, let actual, 1_073_741_824) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(actual >= 1 << 30)
  }

  @Test("Memory is reported as such too where the host held more before")
  func allocateLess() throws {
    // The system counts it as the worker's: it starts as a copy of us.
    let held = [UInt8](repeating: 1, count: 1100 << 20)
    var limits = DecoderLimits()
    // More than twice what the program of all tests and its libraries take of the address space.
    limits.memoryBytes = 1 << 30
    limits.wallSeconds = 300
    let error = try error("allocate", PhotoPipeline(decoders: pool(limits)))
    #expect(error == .tooLarge(.memory, actual: 1 << 30, limit: 1 << 30))
    #expect(held.last == 1)
  }

  @Test(
    "A photo that crashed a decoder is tried again with other code only",
    arguments: ["segv", "trap", "breakpoint"])
  func remembered(_ misbehavior: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let ledger = CrashLedger(folder: FilePath(folder.path))
    _ = try error(misbehavior, PhotoPipeline(decoders: pool(ledger: ledger)))

    // Only memory refuses without a worker.
    let later = pool(ledger: ledger)
    #expect(throws: PhotoError.corrupt(what: "decoder-crash")) {
      try PhotoPipeline(decoders: later).prepare(Self.photo(misbehavior))
    }
    #expect(later.idleWorkers.count == 1)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count == 1)
    let file = folder.appending(path: try #require(files.first))
    // Not of libvips alone: libwebp, libheif, FFmpeg and our own build count.
    let build = try String(contentsOf: file, encoding: .utf8)
    #expect(build.count == 64)
    try Data(String(build.reversed()).utf8).write(to: file)
    let friendly = PhotoPipeline(decoders: DecoderPool(executable: Petspot.path, ledger: ledger))
    #expect(throws: Never.self) { try friendly.prepare(Self.photo(misbehavior)) }
  }
}
