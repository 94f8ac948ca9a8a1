import Foundation
import Testing

/// Who may import what, proved from the sources.
@Suite("Few import C, the database and the network")
struct ImportTests {
  /// What few may import, and who they are.
  @Test(
    "C, the database, its store and the network are imported only where they may be",
    arguments: [
      (["CVips", "CMagic", "CAVCodec", "CJPEG"], ["PhotoIngestion/Codecs"]),
      (["CPixels"], ["PhotoIngestion/Pixels"]),
      (["CCrypto"], ["Hashing/"]),
      (["CZlib"], ["PetSpotServer/Pages"]),
      (["CTexts"], ["ReportFlow/Texts"]),
      (["CBuildSystem"], ["PetSpotStores/SystemRelease.swift"]),
      (["CMalloc"], ["PetSpotServer/Operations", "petspot-server/"]),
      (
        ["CSandbox"],
        [
          "PhotoIngestion/Codecs", "PhotoIngestion/Sandbox", "PhotoIngestion/ExclusiveRename.swift",
        ]
      ),
      (["GRDB", "GRDBSQLite"], ["PhotoStoreSQLite/"]),
      (["PhotoStoreSQLite"], ["PetSpotStores/"]),
      (["CCurl"], ["HTTPClient/"]),
      // Two fetch at a person's word alone, the third speaks to the store of its objects.
      (
        ["HTTPClient"],
        [
          "ReportFlow/Details", "AnnouncementsHTTP/", "BlobStoreS3/",
          "PetSpotStores/BlobsAddress.swift", "PetSpotStores/MailAddress.swift",
        ]
      ),
      // It opens some thirty libraries at the start of every program and worker.
      (["FoundationNetworking"], []),
      // Its router would be a second one beside `RouteTable`.
      (["Hummingbird"], []),
      (["BlobStoreS3"], ["PetSpotStores/"]),
      (["CPostgres"], ["PhotoStorePostgres/Connection"]),
      (["PhotoStorePostgres"], ["PetSpotStores/"]),
      (["HummingbirdCore", "HTTPTypes", "NIOCore", "NIOSSL"], ["PetSpotServer/"]),
      (["Mustache"], ["PetSpotServer/Pages", "petspot/Output/ImportPage.swift"]),
    ] as [([String], [String])])
  func guarded(_ names: [String], _ rooms: [String]) throws {
    let found = try Sources.importers(of: names)
    #expect(found.isEmpty == rooms.isEmpty, "\(names)")
    for path in found {
      #expect(rooms.contains { path.hasPrefix($0) }, "\(path) imports one of \(names)")
    }
  }
  /// They are compiled for phones, where there is neither Glibc nor a Foundation with other names.
  @Test(
    "What apps share needs Foundation and the log alone",
    arguments: [
      ("Announcements", ["Foundation", "ImageContainers", "Logging"]),
      // The C library of each system, by `#if canImport`.
      ("ImageContainers", ["Darwin", "Glibc", "Musl"]),
    ])
  func shared(_ module: String, _ allowed: [String]) throws {
    for file in try Sources.files(below: "Sources/\(module)", ending: ".swift") {
      let text = try String(contentsOf: file, encoding: .utf8)
      let names = Sources.imports(of: text)
      #expect(names.isSubset(of: allowed), "\(file.lastPathComponent): \(names)")
      if names.contains("Glibc") { #expect(text.contains("#if canImport(Glibc)")) }
    }
  }
}
