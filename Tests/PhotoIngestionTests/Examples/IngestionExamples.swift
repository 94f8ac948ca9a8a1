import Foundation
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
    let pipeline = PhotoPipeline(decoders: DecoderPool(executable: Petspot.path))
    let inspection = try await pipeline.inspect(
      .bytes(upload, name: "rex.jpg"))
    print(inspection.pixelWidth, inspection.pixelHeight)
    print(inspection.plan.method)
    #expect(inspection.pixelWidth == Self.photo?.width && inspection.plan.method == .reEncoded)
  }

  @Test("Without a sandbox")
  func inThisProcess() async throws {
    let pipeline = PhotoPipeline(decoders: nil)
    let photo = try await pipeline.prepare(try #require(Self.photo).source)
    #expect(photo.pixelWidth == Self.photo?.width)
  }

  @Test("For many at the same time")
  func pool() throws {
    let decoders = DecoderPool(maxWorkers: 4, spares: 2)
    let pipeline = PhotoPipeline(decoders: decoders)
    #expect(pipeline.decoders === decoders && decoders.spares == 2)
  }

  @Test("A program of a few lines prepares a photo")
  func prepareOne() throws {
    let (exitCode, out) = try ExampleProgram("PrepareOne").run()
    let image = try #require(Self.photo)
    #expect(exitCode == 0)
    #expect(
      out.hasPrefix("\(try #require(image.width)) \(try #require(image.height)) jpeg "), "\(out)")
  }
}
