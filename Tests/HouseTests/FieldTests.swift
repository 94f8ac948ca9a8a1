import Foundation
import Testing

/// How many files another field of a report takes.
@Suite("A field stands once")
struct FieldTests {
  /// Files in which the word means another thing: where the reader is (`--near`), or what lies close.
  private static let others: Set<String> = [
    "petspot/Subcommands/AnnouncementsCommand.swift",
    "petspot/Subcommands/AnnouncementsShow.swift", "petspot/Output/English.swift",
    "petspot/Output/Polish.swift", "petspot/Output/Text.swift",
    "PetSpotServer/Resources/templates/announcements.mustache",
    "ImageContainers/Color/ICCProfile.swift", "ImageContainers/PNG/PNGColor.swift",
    "ImageContainers/Proof/PNGProofRows.swift", "PhotoIngestion/Painting/ResamplingTaps.swift",
  ]

  /// The files below `Sources`, beside documentation, that spell a field in whatever way: `near`,
  /// `nearText`, `maxNearLength`.
  private func files(spelling field: String) throws -> Set<String> {
    let sources = SourceTree.root.appending(path: "Sources")
    let paths = try #require(FileManager.default.enumerator(atPath: sources.path))
      .compactMap { $0 as? String }
    let capital = field.prefix(1).uppercased() + field.dropFirst()
    let word = try Regex("(^|[^A-Za-z])\(field)(?![a-z])|[a-z]\(capital)(?![a-z])")
    let kinds = [".swift", ".strings", ".mustache", ".json", ".js"]
    return try Set(
      paths.filter { path in
        guard kinds.contains(where: path.hasSuffix) else { return false }
        return try String(contentsOf: sources.appending(path: path), encoding: .utf8)
          .contains(word)
      }
    ).subtracting(Self.others)
  }

  @Test("The place in words takes at most twelve files")
  func near() throws {
    let files = try files(spelling: "near")
    #expect(files.contains("Announcements/FormField.swift"))
    #expect(files.count <= 12, "\(files.sorted())")
  }
}
