import Foundation
import Testing

/// Code that a person copies from a front page has been compiled and run.
@Suite("The documentation's code is compiled")
struct ExamplesTests {
  private static let libraries = [
    "Announcements", "AnnouncementsHTTP", "BlobStoreS3", "ImageContainers", "PetSpotPhotos",
    "PetSpotServer",
    "PhotoAttachments", "PhotoIngestion", "PhotoModel", "PhotoStorePostgres", "PhotoStoreSQLite",
    "PhotoUploads", "ReportFlow", "ReportFlowViewModels",
  ]

  @Test("Each library's front page says how to depend on it, and has code", arguments: libraries)
  func frontPage(_ library: String) throws {
    let page = Sources.root.appending(path: "Sources/\(library)/\(library).docc/\(library).md")
    #expect(
      try Self.lines(of: page).contains(".product(name: \"\(library)\", package: \"petspot\")"))
    #expect(try !Self.blocks(of: page).isEmpty)
  }

  @Test("Each public type is in a topic of its library's front page", arguments: libraries)
  func topics(_ library: String) throws {
    let page = Sources.root.appending(path: "Sources/\(library)/\(library).docc/\(library).md")
    let links = try String(contentsOf: page, encoding: .utf8)
      .matches(of: /- ``(?:\w+\/)?(\w+)``/).map { String($0.output.1) }
    for file in try Sources.files(below: "Sources/\(library)", ending: ".swift") {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let type = /public (?:final |indirect )?(?:struct|class|enum|protocol|actor) (\w+).*/
        guard let name = line.wholeMatch(of: type)?.output.1 else { continue }
        // A front page without topics shows every type by itself.
        let isShown = links.isEmpty || links.contains(String(name))
        #expect(isShown, "\(name) is in no topic of \(library)")
      }
    }
  }

  @Test("Each block of an article stands in a file of an Examples folder, line by line")
  func compiled() throws {
    let sources = try Sources.files(below: "Tests", ending: ".swift")
      .filter { $0.path.contains("/Examples/") }.map { try Self.lines(of: $0) }
    let articles = try Sources.files(below: "Sources", ending: ".md")
    for article in articles + [Sources.root.appending(path: "README.md")] {
      // A manifest is not compiled with the sources; `aManifest` looks at it.
      for block in try Self.blocks(of: article) where !block.contains("import PackageDescription") {
        let isCompiled = sources.contains { $0.contains(block) }
        #expect(
          isCompiled, "\(article.lastPathComponent):\n\(block.joined(separator: "\n"))")
      }
    }
  }

  @Test("The README's manifest names this package's tools and products that it has")
  func aManifest() throws {
    let root = Sources.root
    let package = try Self.lines(of: root.appending(path: "Package.swift"))
    let manifest = try #require(
      try Self.blocks(of: root.appending(path: "README.md"))
        .first { $0.contains("import PackageDescription") })
    #expect(manifest[0] == package[0])
    let products = manifest.compactMap { $0.firstMatch(of: /\.product\(name: ("\w+")/)?.output.1 }
    #expect(!products.isEmpty)
    for product in products {
      #expect(package.contains { $0.hasPrefix(".library(name: \(product),") }, "\(product)")
    }
  }

  /// The lines of each block of Swift.
  private static func blocks(of article: URL) throws -> [[String]] {
    var (blocks, block) = ([[String]](), [String]?.none)
    for line in try lines(of: article) {
      if line == "```swift" {
        block = []
      } else if line == "```" {
        if let block { blocks.append(block) }
        block = nil
      } else {
        block?.append(line)
      }
    }
    try #require(block == nil, "\(article.path) ends inside a block")
    return blocks
  }

  /// Without what they are indented by.
  private static func lines(of file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
