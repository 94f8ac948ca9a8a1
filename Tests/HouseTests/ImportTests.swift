import Foundation
import Testing

/// Checks in the sources which files import which modules.
@Suite("Modules with few importers")
struct ImportTests {
  /// The modules with few importers, and the paths that may import them.
  @Test(
    "C, the database, its store and the network are imported only where they may be",
    arguments: [
      (["CVips", "CMagic", "CAVCodec", "CJPEG"], ["PhotoIngestion/Codecs"]),
      (["CPixels"], ["PhotoIngestion/Pixels"]),
      (["CCrypto"], ["Hashing/"]),
      (["CZlib"], ["PetSpotServer/Templates"]),
      (["CQRCode"], ["PetSpotServer/Pages/Announcements/QRCode.swift"]),
      (["CPhotoTexts"], ["PhotoModel/Sentences"]),
      (["CTexts"], ["ReportFlow/Texts"]),
      (["CBuildSystem"], ["PetSpotStores/SystemRelease.swift"]),
      (["CMalloc"], ["PetSpotServer/Server", "petspot-server/"]),
      (
        ["CSandbox"],
        [
          "PhotoIngestion/Codecs", "PhotoIngestion/Sandbox", "PhotoIngestion/ExclusiveRename.swift",
        ]
      ),
      (["GRDB", "GRDBSQLite"], ["PhotoStoreSQLite/"]),
      (["PhotoStoreSQLite"], ["PetSpotPhotos/", "PetSpotStores/"]),
      (["CCurl"], ["HTTPClient/"]),
      // The first two fetch only when a user asks for it; the others connect to the object store and the mail server.
      (
        ["HTTPClient"],
        [
          "ReportFlow/Details", "AnnouncementsHTTP/", "BlobStoreS3/",
          "PetSpotStores/BlobsAddress.swift", "PetSpotStores/MailAddress.swift",
        ]
      ),
      // Loads about thirty libraries whenever a program or worker starts.
      (["FoundationNetworking"], []),
      // Its router would compete with `RouteTable`.
      (["Hummingbird"], []),
      (["BlobStoreS3"], ["PetSpotStores/"]),
      (["CPostgres"], ["PhotoStorePostgres/Connection"]),
      (["PhotoStorePostgres"], ["PetSpotStores/"]),
      (["HummingbirdCore", "HTTPTypes", "NIOCore"], ["PetSpotServer/", "PhotoUploads/"]),
      (["NIOSSL"], ["PetSpotServer/"]),
      (["Mustache"], ["PetSpotServer/Templates", "petspot/Output/Import/ImportPage.swift"]),
    ] as [([String], [String])])
  func guarded(_ names: [String], _ rooms: [String]) throws {
    let found = try Sources.importers(of: names)
    #expect(found.isEmpty == rooms.isEmpty, "\(names)")
    for path in found {
      #expect(rooms.contains { path.hasPrefix($0) }, "\(path) imports one of \(names)")
    }
  }
  /// These modules are compiled for phones, which have no Glibc and a smaller Foundation.
  @Test(
    "Modules that apps share import only Foundation and the log",
    arguments: [
      ("Announcements", ["Foundation", "Logging", "PhotoModel"]),
      ("PhotoModel", ["CPhotoTexts", "Foundation", "ImageContainers"]),
      // The C library of each system, selected with `#if canImport`.
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
