import Foundation
import TestPictures
import Testing

@testable import PhotoIngestion

/// The files of the advisories that SECURITY.md lists.
@Suite struct AdvisoryTests {
  private static let files: [String] = {
    let page = TestImage.folder.deletingLastPathComponent().appending(path: "SECURITY.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    let section = text.components(separatedBy: "### Advisories of 2026").last ?? ""
    return section.matches(of: /`([a-z0-9-]+\.(jpg|heic|bmp))`/).map { String($0.output.1) }
  }()

  @Test func eachAdvisoryHasItsFiles() {
    #expect(Self.files.count > 14 && Set(Self.files).count == Self.files.count)
  }

  @Test("A file of an advisory is refused or read as its description says", arguments: files)
  func fileOfAdvisory(_ file: String) throws {
    let image = try #require(TestImage.all.first { $0.file == file })
    let pipeline = PhotoPipeline(decoding: .inProcess)
    if image.isAccepted {
      let inspection = try pipeline.inspect(image.source, decodes: true)
      #expect(Set(inspection.plan.losses) == Set(image.losses ?? []))
      return
    }
    let error = #expect(throws: PhotoError.self) {
      _ = try pipeline.inspect(image.source, decodes: true)
    }
    #expect(error?.code == image.code)
  }
}
