import Foundation
import ImageContainers
import PhotoAttachments
import SystemPackage
import Testing

/// One row of `TestImages/manifest.json`: what a file is and what must become of it.
struct TestImage: Decodable, Sendable, CustomTestStringConvertible {
  var file: String
  var about: String
  var expect: String
  var format: String?
  var width: Int?
  var height: Int?
  var storedWidth: Int?
  var storedHeight: Int?
  var orientation: Int?
  var frames: Int?
  var hasAlpha: Bool?
  var bitDepth: Int?
  var colorProfile: String?
  var hasLocation: Bool?
  var capturedAt: String?
  var method: String?
  var reasons: [String]?
  var losses: [String]?
  var repairs: [String]?
  var blobFormat: String?
  var code: String?
  var quadrants: Bool?
  var marker: Bool?
  var extensionMatches: Bool?

  var testDescription: String { file }
  var isAccepted: Bool { expect == "accept" }
  var url: URL { Self.folder.appending(path: file) }
  var source: PhotoSource { .file(FilePath(url.path)) }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "TestImages")

  static let all: [TestImage] = {
    struct Manifest: Decodable { var images: [TestImage] }
    do {
      let data = try Data(contentsOf: folder.appending(path: "manifest.json"))
      return try JSONDecoder().decode(Manifest.self, from: data).images
    } catch {
      fatalError("TestImages/manifest.json cannot be read: \(error)")  // no test can run without it
    }
  }()

  static let accepted = all.filter(\.isAccepted)
  static let refused = all.filter { !$0.isAccepted }
}
