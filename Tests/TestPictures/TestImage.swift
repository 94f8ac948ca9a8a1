package import Foundation
package import PhotoIngestion
import SystemPackage
import Testing

/// One row of `TestImages/manifest.json`: a description of a file and the expected outcome of its import.
package struct TestImage: Decodable, Sendable, CustomTestStringConvertible {
  package var file: String
  package var about: String
  package var expect: String
  package var format: String?
  package var width: Int?
  package var height: Int?
  package var storedWidth: Int?
  package var storedHeight: Int?
  package var orientation: Int?
  package var frames: Int?
  package var hasAlpha: Bool?
  package var bitDepth: Int?
  package var colorProfile: String?
  package var hasLocation: Bool?
  package var capturedAt: String?
  package var method: String?
  package var reasons: [String]?
  package var losses: [String]?
  package var repairs: [String]?
  package var blobFormat: String?
  package var code: String?
  package var quadrants: Bool?
  package var marker: Bool?
  package var extensionMatches: Bool?

  package var testDescription: String { file }
  package var isAccepted: Bool { expect == "accept" }
  package var url: URL { Self.folder.appending(path: file) }
  package var source: PhotoSource { .file(FilePath(url.path)) }

  package static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "TestImages")

  package static let all: [TestImage] = {
    struct Manifest: Decodable { var images: [TestImage] }
    do {
      let data = try Data(contentsOf: folder.appending(path: "manifest.json"))
      return try JSONDecoder().decode(Manifest.self, from: data).images
    } catch {
      fatalError("TestImages/manifest.json cannot be read: \(error)")  // no test can run without it
    }
  }()

  package static let accepted = all.filter(\.isAccepted)
  package static let refused = all.filter { !$0.isAccepted }
}
