import Foundation
import ImageContainers
import PhotoIngestion
import TestPictures
import Testing

/// The code of the module's front page, which `HouseTests` compares; `Tests/Examples/PrepareOne` is the
/// rest of it.
@Suite("The front page's code runs")
struct IngestionExamples {
  private static let photo = TestImage.accepted.first { $0.file == "portrait-phone.heic" }

  @Test("Looking before taking")
  func inspect() async throws {
    let upload = [UInt8](try Data(contentsOf: try #require(Self.photo).url))
    let pipeline = PhotoPipeline(decoding: .sandboxed(DecoderPool(executable: Petspot.path)))
    let inspection = try await pipeline.inspect(
      .bytes(upload, name: "rex.jpg"))
    print(inspection.pixelWidth, inspection.pixelHeight)
    print(inspection.plan.method)
    #expect(inspection.pixelWidth == Self.photo?.width && inspection.plan.method == .reEncoded)
  }

  @Test("Without a sandbox")
  func inThisProcess() async throws {
    let pipeline = PhotoPipeline(decoding: .inProcess)
    let photo = try await pipeline.prepare(try #require(Self.photo).source)
    #expect(photo.pixelWidth == Self.photo?.width)
  }

  @Test("For many at the same time")
  func pool() throws {
    let decoders = DecoderPool(maxWorkers: 4, spares: 2)
    let pipeline = PhotoPipeline(decoding: .sandboxed(decoders))
    #expect(pipeline.decoding.pool === decoders && decoders.spares == 2)
  }

  @Test("A program without a C library reads dimensions")
  func readDimensions() throws {
    let (exitCode, out) = try ExampleProgram("ReadDimensions").run("rex.heic")
    let image = try #require(Self.photo)
    #expect(exitCode == 0)
    #expect(out == "rex.heic heic \(image.width ?? 0) \(image.height ?? 0)\n")
  }

  @Test("A program of a few lines prepares a photo")
  func prepareOne() throws {
    let program = try ExampleProgram("PrepareOne")
    let (exitCode, out) = try program.run()
    let clean = [UInt8](try Data(contentsOf: program.folder.appending(path: "rex.jpg")))
    #expect(ImageContainer.format(of: clean) == .jpeg)
    let image = try #require(Self.photo)
    #expect(exitCode == 0)
    #expect(
      out.hasPrefix("\(try #require(image.width)) \(try #require(image.height)) jpeg "), "\(out)")
  }
}
