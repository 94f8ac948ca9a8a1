import Foundation
import SystemPackage
import Testing

@testable import PhotoAttachments

/// A worker told to obey misbehaves as a photo's last bytes say, after the walk has taken the photo.
@Suite("Every end of a worker is one error")
struct DecoderOutcomeTests {
  private func pool(
    _ limits: DecoderLimits = .init(), ledger: CrashLedger? = nil
  ) -> DecoderPool {
    DecoderPool(
      executable: Petspot.path, options: ["--obey-trailers"], limits: limits, ledger: ledger)
  }

  private static func photo(_ misbehavior: Misbehavior? = nil) throws -> PhotoSource {
    let data = try Data(contentsOf: TestImage.folder.appending(path: "baseline-420.jpg"))
    let tail = misbehavior.map { Misbehavior.marker + $0.rawValue } ?? ""
    return .bytes([UInt8](data) + [UInt8](tail.utf8), name: "photo.jpg")
  }

  private func error(_ misbehavior: Misbehavior, _ pipeline: PhotoPipeline) throws -> PhotoError? {
    let photo = try Self.photo(misbehavior)
    let error = #expect(throws: PhotoError.self) { try pipeline.prepare(photo) }
    // The next photo works.
    #expect(throws: Never.self) { try pipeline.prepare(Self.photo()) }
    return error
  }

  @Test(
    "A crash is the photo's fault",
    arguments: [.segv, .bus, .abort, .trap, .sys, .leave, .garbage, .hangUp] as [Misbehavior])
  func crash(_ misbehavior: Misbehavior) throws {
    let pipeline = PhotoPipeline(decoders: pool())
    #expect(try error(misbehavior, pipeline) == .corrupt(what: "decoder-crash"))
  }

  @Test("A crash of a used worker is tried again in a fresh one, and counted once it crashed that")
  func crashOfUsed() throws {
    let pipeline = PhotoPipeline(decoders: pool())
    _ = try pipeline.prepare(Self.photo())
    #expect(try error(.segv, pipeline) == .corrupt(what: "decoder-crash"))
  }

  @Test("A worker killed from outside is tried once more, then it is our fault")
  func killed() throws {
    #expect(
      try error(.kill, PhotoPipeline(decoders: pool())) == .fault(what: "decoder-killed"))
  }

  @Test("Processor time has a limit")
  func spin() throws {
    var limits = DecoderLimits()
    limits.cpuSeconds = 1
    limits.wallSeconds = 300  // a busy machine gives that second late
    let error = try error(.spin, PhotoPipeline(decoders: pool(limits)))
    #expect(error == .timeout(seconds: 1))
  }

  @Test("So has time on the wall")
  func sleep() throws {
    var limits = DecoderLimits()
    limits.wallSeconds = 2
    let error = try error(.sleep, PhotoPipeline(decoders: pool(limits)))
    #expect(error == .timeout(seconds: 2))
  }

  @Test("So has memory")
  func allocate() throws {
    var limits = DecoderLimits()
    limits.memoryBytes = 1 << 30
    let error = try error(.allocate, PhotoPipeline(decoders: pool(limits)))
    guard case .tooLarge("memory", let actual, 1_073_741_824) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(actual >= 1 << 30)
  }

  @Test("A photo that crashed one version of libvips is tried again with another only")
  func remembered() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let ledger = CrashLedger(folder: FilePath(folder.path))
    _ = try error(.segv, PhotoPipeline(decoders: pool(ledger: ledger)))

    // These workers do not obey: only memory can refuse.
    let later = PhotoPipeline(decoders: DecoderPool(executable: Petspot.path, ledger: ledger))
    #expect(throws: PhotoError.corrupt(what: "decoder-crash")) {
      try later.prepare(Self.photo(.segv))
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count == 1)
    try Data("8.0.0".utf8).write(to: folder.appending(path: try #require(files.first)))
    #expect(throws: Never.self) { try later.prepare(Self.photo(.segv)) }
  }
}
