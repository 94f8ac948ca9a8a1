import Foundation
import ImageContainers
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("An answer must match the file that was sent")
struct ResponseCheckTests {
  private func file(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: TestImage.folder.appending(path: name)))
  }

  private func facts(_ bytes: [UInt8]) throws -> DecodedPhoto.Facts {
    let received = ReceivedFile(name: "", bytes: bytes, sha256: "")
    return try PhotoPipeline.decode(received, policy: .init(), depth: .codedAnew) { _, _ in }.facts
  }

  @Test("Answers with another format, size or method are refused")
  func others() throws {
    let (jpeg, png) = (try file("baseline-420.jpg"), try file("alpha.png"))
    let own = try facts(jpeg)
    try ResponseCheck.check(own, against: jpeg, policy: .init())
    var others = Array(repeating: own, count: 5)
    others[0].pixelWidth += 1
    others[1].format = .png
    others[2].blobFormat = .webp
    others[3].blobFrames = 2
    others[4] = try facts(png)
    for other in others {
      #expect(throws: PhotoError.fault(.decoderAnswer)) {
        try ResponseCheck.check(other, against: jpeg, policy: .init())
      }
    }
  }

  @Test("The facts of each accepted photo agree with its own file", arguments: TestImage.accepted)
  func own(_ image: TestImage) throws {
    let bytes = try file(image.file)
    try ResponseCheck.check(try facts(bytes), against: bytes, policy: .init())
  }
}
