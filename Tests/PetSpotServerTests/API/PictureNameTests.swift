import Foundation
import ImageContainers
import PhotoIngestion
import Testing

@testable import PetSpotServer

@Suite("PictureName")
struct PictureNameTests {
  private let id = UUID()

  @Test("Only names of pictures are parsed")
  func names() {
    let text = id.uuidString.lowercased()
    #expect(PictureName(text) == PictureName(photo: id, .whole))
    #expect(PictureName(text + "-preview") == PictureName(photo: id, .preview))
    for maxSide in [320, 640, 960, 1280, 1920] {
      let name = PictureName(
        photo: id, .size(.init(maxSide: maxSide, format: .webp)))
      #expect(name.text == "\(text)-\(maxSide).webp" && PictureName(name.text) == name)
      #expect(PictureName("\(text)-\(maxSide).jpg") != nil)
    }
    for other in [
      "", "-", "-321.jpg", "-0640.jpg", "-+640.jpg", "-640.png", "-640.jpeg", "-640.JPG", "-640",
      "-640.jpg ", "-640.jpg/", "-preview.jpg", "-640-preview", ".jpg", "-1920.webp.jpg",
      "-160.webp",
    ] where !other.isEmpty {
      #expect(PictureName(text + other) == nil, "\(other)")
    }
    #expect(PictureName(id.uuidString + "-640.jpg") == nil)
    #expect(PictureName(String(text.dropLast()) + "-640.jpg") == nil)
  }
}
