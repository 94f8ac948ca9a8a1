import Foundation
import Testing

/// Modules depend on each other in one direction only.
@Suite("Modules depend one way")
struct ModuleTests {
  /// The modules of this package that a module may use, without those of C. The upper ones know nothing of pets.
  private static let arrows: [String: Set<String>] = [
    "Hashing": [],
    "HTTPClient": [],
    "ImageContainers": [],
    "PhotoModel": ["ImageContainers"],
    "PhotoIngestion": ["Hashing", "ImageContainers", "PhotoModel"],
    "PhotoAttachments": ["Hashing", "ImageContainers", "PhotoIngestion", "PhotoModel"],
    "PhotoStoreSQLite": ["Hashing", "ImageContainers", "PhotoAttachments", "PhotoIngestion"],
    "PhotoStorePostgres": ["Hashing", "ImageContainers", "PhotoAttachments", "PhotoIngestion"],
    "BlobStoreS3": [
      "HTTPClient", "Hashing", "ImageContainers", "PhotoAttachments", "PhotoIngestion",
    ],
    "PetSpotPhotos": [
      "ImageContainers", "PhotoAttachments", "PhotoIngestion", "PhotoModel", "PhotoStoreSQLite",
    ],
    "PhotoUploads": [
      "Hashing", "ImageContainers", "PhotoAttachments", "PhotoIngestion", "PhotoModel",
    ],

    "Announcements": ["PhotoModel"],
    "AnnouncementsHTTP": ["Announcements", "HTTPClient", "ImageContainers", "PhotoModel"],
    "ReportFlow": [
      "Announcements", "HTTPClient", "Hashing", "ImageContainers", "PhotoAttachments",
      "PhotoIngestion", "PhotoModel",
    ],
    "ReportFlowViewModels": [
      "Announcements", "PhotoAttachments", "PhotoIngestion", "PhotoModel", "ReportFlow",
    ],
    "PetSpotServer": [
      "Announcements", "Hashing", "ImageContainers", "PhotoAttachments", "PhotoIngestion",
      "PhotoModel", "PhotoUploads", "ReportFlow",
    ],
    "PetSpotStores": [
      "BlobStoreS3", "HTTPClient", "PhotoAttachments", "PhotoIngestion", "PhotoStorePostgres",
      "PhotoStoreSQLite", "ReportFlow",
    ],
    "petspot": [
      "Announcements", "AnnouncementsHTTP", "Hashing", "ImageContainers", "PetSpotStores",
      "PhotoAttachments", "PhotoIngestion", "PhotoModel", "ReportFlow",
    ],
    "petspot-main": ["PhotoIngestion", "petspot"],
    "petspot-server": [
      "PetSpotServer", "PetSpotStores", "PhotoAttachments", "PhotoIngestion", "ReportFlow",
      "petspot",
    ],
  ]

  @Test("Package.swift declares these arrows, and they have no cycle")
  func declared() throws {
    let package = try String(
      contentsOf: Sources.root.appending(path: "Package.swift"), encoding: .utf8)
    let target = /arget\(\s*name: "(?<name>[\w-]+)"(?:,\s*dependencies: \[(?<uses>[^\]]*)\])?/
    var declared: [String: Set<String>] = [:]
    for match in package.matches(of: target) {
      let names = (match.uses ?? "").replacing(/\.product\([^)]*\)/, with: "")
        .matches(of: /"([\w-]+)"/).map { String($0.output.1) }
      declared[String(match.name)] = Set(names).intersection(Self.arrows.keys)
    }
    for (module, uses) in Self.arrows { #expect(declared[module] == uses, "\(module)") }
    // Modules whose dependencies are all gone are taken away. The remaining ones are in cycles.
    var rest = Self.arrows
    while let free = rest.first(where: { $0.value.isDisjoint(with: rest.keys) }) {
      rest[free.key] = nil
    }
    #expect(rest.isEmpty, "\(rest.keys)")
  }

  @Test("Files import only modules that theirs may use")
  func imported() throws {
    for folder in try FileManager.default.contentsOfDirectory(
      atPath: Sources.root.appending(path: "Sources").path)
    {
      let files = try Sources.files(below: "Sources/\(folder)", ending: ".swift")
      if files.isEmpty { continue }
      let allowed = try #require(Self.arrows[folder], "\(folder) has no row in this table")
      for file in files {
        let names = Sources.imports(of: try String(contentsOf: file, encoding: .utf8))
        let others = names.intersection(Self.arrows.keys).subtracting(allowed)
        #expect(others.isEmpty, "\(folder)/\(file.lastPathComponent) imports \(others)")
      }
    }
  }
}
