import Foundation
import Glibc
import ImageContainers
import SystemPackage
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("Photos in worker processes")
struct DecoderPoolTests {
  static let jailed = PhotoPipeline(
    decoding: .sandboxed(DecoderPool(executable: Petspot.path, trust: .owner(photosPerWorker: 100)))
  )
  let open = PhotoPipeline(decoding: .inProcess)

  @Test("A worker prepares photos exactly as this process does", arguments: TestImage.accepted)
  func sameResult(_ image: TestImage) throws {
    #expect(try Self.jailed.prepare(image.source) == open.prepare(image.source))
    #expect(try Self.jailed.inspect(image.source) == open.inspect(image.source))
  }

  @Test(
    "A worker refuses the same photos as this process, for the same reasons",
    arguments: TestImage.refused)
  func sameRefusal(_ image: TestImage) {
    let here = #expect(throws: PhotoError.self) { try open.prepare(image.source) }
    let there = #expect(throws: PhotoError.self) { try Self.jailed.prepare(image.source) }
    #expect(here == there)
  }

  @Test("A worker that was started for a JPEG is replaced when a HEIC comes")
  func startedForAnotherFormat() throws {
    let decoders = DecoderPool(executable: Petspot.path, trust: .owner(photosPerWorker: 100))
    decoders.warm(for: FilePath(TestImage.folder.appending(path: "gps-exif.jpg").path))
    let started = try decoders.report()
    #expect(started.heifVersion == nil && started.avcodecVersion == nil)
    let photos = PhotoPipeline(decoding: .sandboxed(decoders))
    for name in ["gps-exif.jpg", "iphone-48-tiles.heic", "gps-exif.jpg"] {
      let source = PhotoSource.file(FilePath(TestImage.folder.appending(path: name).path))
      #expect(try photos.prepare(source) == open.prepare(source))
    }
    #expect(try decoders.report().heifVersion != nil)
  }

  @Test("A worker draws pictures exactly as this process does")
  func raster() throws {
    let bytes = [UInt8](try Data(contentsOf: TestImage.folder.appending(path: "alpha.png")))
    let there = try PictureRaster.decode(
      bytes, format: .png, side: 40, decoding: Self.jailed.decoding)
    #expect(try there == PictureRaster.decode(bytes, format: .png, side: 40, decoding: .inProcess))
  }

  @Test(
    "A worker writes no picture to a temporary file, however large",
    arguments: [
      ImageFormat.webp, .png,
    ])
  func largePicture(_ format: ImageFormat) throws {
    try VipsRuntime.start(threads: 1)
    // libvips alone would do so from 100 MB on.
    let side = 5_200
    let large = try [UInt8](repeating: 100, count: side * side * 4).withUnsafeBytes {
      try VipsPicture.over($0, width: side, height: side, bands: 4)
        .encoded(as: format, quality: 80)
    }
    let photo = try Self.jailed.prepare(.bytes(large, name: "large"))
    #expect((photo.blob.pixelWidth, photo.preview.pixelWidth) == (side, 320))
    #expect(photo.preview.format == .webp)
  }

  @Test("A worker is sandboxed and has five loaders")
  func report() throws {
    let report = try #require(Self.jailed.decoding.pool).report()
    #expect(report.problems.isEmpty)
    #expect(report.loaders.count == 5)
    let sandbox = try #require(report.sandbox)
    #expect(sandbox.landlock > 0)
    #expect(sandbox.seccomp)
  }

  @Test("When memory runs out, the kernel ends workers before their host", arguments: [0, 1])
  func outOfMemory(spares: Int) throws {
    func score(_ process: String) throws -> Int? {
      let text = try String(contentsOfFile: "/proc/\(process)/oom_score_adj", encoding: .utf8)
      return Int(text.dropLast())
    }
    // With spares, a template forks workers.
    let pool = DecoderPool(executable: Petspot.path, trust: .strangers, spares: spares)
    pool.warm()
    let report = try pool.report()
    #expect(report.problems.isEmpty)
    let workers = pool.idleWorkers
    #expect(!workers.isEmpty)
    for worker in workers { #expect(try score("\(worker)") == 1000) }
    let own = try #require(try score("self"))
    #expect(own < 1000)
  }

  @Test("A worker is used again, and replaced after its limit")
  func replacement() throws {
    let pool = DecoderPool(
      executable: Petspot.path, trust: .owner(photosPerWorker: 2), spares: 0)
    let pipeline = PhotoPipeline(decoding: .sandboxed(pool))
    let source = try #require(TestImage.accepted.first).source
    _ = try pipeline.prepare(source)
    let first = pool.idleWorkers
    #expect(first.count == 1)
    _ = try pipeline.prepare(source)
    #expect(pool.idleWorkers.isEmpty)
    _ = try pipeline.prepare(source)
    #expect(pool.idleWorkers.count == 1)
    #expect(pool.idleWorkers != first)
  }

  @Test("Workers end with their pool and leave no zombie")
  func ending() throws {
    var pool: DecoderPool? = DecoderPool(
      executable: Petspot.path, trust: .owner(photosPerWorker: 9), spares: 0)
    pool?.warm(2)
    _ = try PhotoPipeline(decoding: .sandboxed(try #require(pool))).prepare(
      try #require(TestImage.accepted.first).source)
    let workers = try #require(pool).idleWorkers
    #expect(workers.count == 2)
    pool = nil
    for worker in workers {
      // The worker is collected soon, and then neither a process nor a zombie has this number.
      for _ in 0..<10_000 where kill(worker, 0) == 0 { usleep(1_000) }
      #expect(kill(worker, 0) == -1)
    }
  }

  @Test("A worker that is killed while it waits costs nothing")
  func killedIdle() throws {
    let pool = DecoderPool(executable: Petspot.path, trust: .owner(photosPerWorker: 9), spares: 0)
    let pipeline = PhotoPipeline(decoding: .sandboxed(pool))
    let source = try #require(TestImage.accepted.first).source
    _ = try pipeline.prepare(source)
    pool.warm()
    let dead = pool.idleWorkers
    #expect(dead.count == 2)
    for worker in dead {
      kill(worker, SIGKILL)
      var ending = siginfo_t()
      #expect(waitid(P_PID, id_t(worker), &ending, WEXITED | WNOWAIT) == 0)
    }
    _ = try pipeline.prepare(source)
    // No dead worker was used or is still in the pool.
    #expect(Set(pool.idleWorkers).isDisjoint(with: dead))
  }

  @Test(
    "Without a worker program there is an error, not a crash",
    arguments: ["/nonexistent", "/bin/false"])
  func noProgram(path: String) throws {
    let pipeline = PhotoPipeline(decoding: .sandboxed(DecoderPool(executable: path)))
    let source = try #require(TestImage.accepted.first).source
    #expect(throws: PhotoError.fault(.decoderStart)) { try pipeline.prepare(source) }
  }
}
