import Foundation
import Testing

/// Who may know whom, proved from the sources.
@Suite("Arrows go one way")
struct ArrowTests {
  let tree: SourceTree

  init() throws { tree = try SourceTree() }

  @Test("There are sources, and arrows between them")
  func somethingIsRead() {
    #expect(
      tree.arrows["PhotoIngestion"]?["PhotoIngestion/Sniffing"] == ["Sniffer"])
  }

  @Test("No two folders use each other")
  func noCircles() {
    for (one, others) in tree.arrows {
      for (other, names) in others where one < other {
        let back = tree.arrows[other]?[one] ?? []
        #expect(
          back.isEmpty, "\(one) names \(names.sorted()) of \(other), which names \(back.sorted())")
      }
    }
  }

  /// Each module and those it may import.
  private static let modules: [String: Set<String>] = [
    "Announcements": [],
    "Hashing": [],
    "HTTPClient": [],
    "ImageContainers": [],
    "PhotoIngestion": ["Hashing", "ImageContainers"],
    "AnnouncementsHTTP": ["Announcements", "HTTPClient", "ImageContainers", "PhotoIngestion"],
    "PhotoAttachments": ["Hashing", "ImageContainers", "PhotoIngestion"],
    "ReportFlow": [
      "Announcements", "HTTPClient", "Hashing", "ImageContainers", "PhotoIngestion",
      "PhotoAttachments",
    ],
    "PhotoStoreSQLite": [
      "Hashing", "ImageContainers", "PhotoIngestion", "PhotoAttachments", "ReportFlow",
    ],
    "BlobStoreS3": [
      "HTTPClient", "Hashing", "ImageContainers", "PhotoIngestion", "PhotoAttachments",
    ],
    "PhotoStorePostgres": [
      "Hashing", "ImageContainers", "PhotoIngestion", "PhotoAttachments", "ReportFlow",
    ],
    "PetSpotStores": [
      "BlobStoreS3", "HTTPClient", "ImageContainers", "PhotoIngestion",
      "PhotoAttachments", "PhotoStorePostgres", "PhotoStoreSQLite", "ReportFlow",
    ],
    "PetSpotServer": [
      "Announcements", "Hashing", "ImageContainers", "PhotoIngestion", "PhotoAttachments",
      "ReportFlow",
    ],
    "petspot": [
      "Announcements", "AnnouncementsHTTP", "Hashing", "ImageContainers", "PhotoIngestion",
      "PhotoAttachments", "PetSpotStores", "ReportFlow",
    ],
    "petspot-server": [
      "PhotoIngestion", "PhotoAttachments", "PetSpotServer", "PetSpotStores", "ReportFlow",
    ],
  ]

  @Test("A module imports only those below it")
  func modules() {
    for file in tree.files {
      guard let allowed = Self.modules[file.module] else {
        if file.module.hasPrefix("C") { continue }
        Issue.record("\(file.module) has no place among the modules")
        continue
      }
      let ours = file.imports.intersection(Self.modules.keys)
      #expect(ours.isSubset(of: allowed), "\(file.path) imports \(ours.subtracting(allowed))")
    }
  }

  /// What few may import, and who they are.
  @Test(
    "C, the database, its store and the network are imported only where they may be",
    arguments: [
      (["CVips", "CMagic", "CAVCodec"], ["PhotoIngestion/Interop"]),
      (["CCrypto"], ["Hashing/"]),
      (["CZlib"], ["PetSpotServer/Pages"]),
      (["CMalloc"], ["PetSpotServer/Operations", "petspot-server/"]),
      (["CSandbox"], ["PhotoIngestion/Interop", "PhotoIngestion/Decoding"]),
      (["GRDB", "GRDBSQLite"], ["PhotoStoreSQLite/"]),
      (["PhotoStoreSQLite"], ["PetSpotStores/Stores.swift"]),
      (["CCurl"], ["HTTPClient/"]),
      // Two fetch at a person's word alone, the third speaks to the store of its objects.
      (
        ["HTTPClient"],
        [
          "ReportFlow/Classifying", "AnnouncementsHTTP/", "BlobStoreS3/",
          "PetSpotStores/BlobsAddress.swift",
        ]
      ),
      // It opens some thirty libraries at the start of every program and worker.
      (["FoundationNetworking"], []),
      // Its router would be a second one beside `RouteTable`.
      (["Hummingbird"], []),
      (["BlobStoreS3"], ["PetSpotStores/"]),
      (["CPostgres"], ["PhotoStorePostgres/Connecting"]),
      (["PhotoStorePostgres"], ["PetSpotStores/"]),
      (
        ["HummingbirdCore", "HTTPTypes", "NIOCore", "NIOSSL", "Mustache"],
        ["PetSpotServer/"]
      ),
    ] as [([String], [String])])
  func guarded(_ names: [String], _ rooms: [String]) {
    for file in tree.files where !file.imports.isDisjoint(with: names) {
      #expect(
        rooms.contains { file.path.hasPrefix($0) }, "\(file.path) imports one of \(names)")
    }
  }
}
