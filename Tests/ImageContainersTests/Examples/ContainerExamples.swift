import Foundation
import ImageContainers
import Testing

/// The code of the module's front page, which `HouseTests` compares.
@Suite("The front page's code runs")
struct ContainerExamples {
  private static let images = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "TestImages")

  @Test(
    "Naming, parsing and cleaning",
    arguments: ["gps-exif.jpg", "gps-exif.png", "gps-exif.webp", "gps-exif.heic", "gps-xmp.gif"])
  func clean(_ name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: Self.images.appending(path: name)))
    if let format = ImageContainer.format(of: bytes) {
      let facts = try ImageContainer.parse(bytes, as: format)
      let clean = try ImageContainer.clean(bytes, as: format)
      print(facts.uprightWidth, facts.uprightHeight)
      print(facts.hasLocation, clean.count)
    }

    let format = try #require(ImageContainer.format(of: bytes))
    #expect(try ImageContainer.parse(bytes, as: format).hasLocation)
    let clean = try ImageContainer.clean(bytes, as: format)
    #expect(try !ImageContainer.parse(clean, as: format).hasLocation)
  }
}
