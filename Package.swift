// swift-tools-version: 6.2

import PackageDescription

/// One settings array for every target of ours.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "PetSpot",
  products: [
    .library(name: "Announcements", targets: ["Announcements"]),
    .library(name: "AnnouncementsHTTP", targets: ["AnnouncementsHTTP"]),
    .library(name: "BlobStoreS3", targets: ["BlobStoreS3"]),
    .library(name: "ImageContainers", targets: ["ImageContainers"]),
    .library(name: "PhotoAttachments", targets: ["PhotoAttachments"]),
    .library(name: "PhotoIngestion", targets: ["PhotoIngestion"]),
    .library(name: "PhotoModel", targets: ["PhotoModel"]),
    .library(name: "PhotoStorePostgres", targets: ["PhotoStorePostgres"]),
    .library(name: "PhotoStoreSQLite", targets: ["PhotoStoreSQLite"]),
    .library(name: "PhotoUploads", targets: ["PhotoUploads"]),
    .library(name: "PetSpotPhotos", targets: ["PetSpotPhotos"]),
    .library(name: "PetSpotServer", targets: ["PetSpotServer"]),
    .library(name: "ReportFlow", targets: ["ReportFlow"]),
    .library(name: "ReportFlowViewModels", targets: ["ReportFlowViewModels"]),
    .executable(name: "petspot", targets: ["petspot-main"]),
    .executable(name: "petspot-server", targets: ["petspot-server"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CAVCodec", providers: [.apt(["libavcodec-dev"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CMagic", providers: [.apt(["libmagic-dev"])]),
    .systemLibrary(name: "CMalloc"),
    .systemLibrary(
      name: "CGObject", pkgConfig: "gobject-2.0", providers: [.apt(["libvips-dev"])]),
    .systemLibrary(
      name: "CQRCode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CPostgres", linkerSettings: [.linkedLibrary("dl")]),
    .target(
      name: "CVips", dependencies: ["CGObject"],
      linkerSettings: [.linkedLibrary("dl"), .linkedLibrary("gmodule-2.0")]),
    .target(name: "CBuildSystem"),
    .target(
      name: "CTexts",
      exclude: ["en.strings", "import-page.mustache", "pl.strings", "SpeciesTaxonomy.json"]),
    .target(name: "CPhotoTexts", exclude: ["en.strings", "pl.strings"]),
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CPixels"),
    .target(
      name: "CSandbox",
      linkerSettings: [.linkedLibrary("seccomp")]),
    .target(name: "Hashing", dependencies: ["CCrypto"], swiftSettings: settings),
    .target(name: "ImageContainers", swiftSettings: settings),
    .target(
      name: "PhotoModel", dependencies: ["CPhotoTexts", "ImageContainers"],
      swiftSettings: settings),
    .target(
      name: "PhotoIngestion",
      dependencies: [
        "CAVCodec", "CJPEG", "CMagic", "CPixels", "CSandbox", "CVips", "Hashing",
        "ImageContainers", "PhotoModel", .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "PhotoAttachments",
      dependencies: [
        "Hashing", "ImageContainers", "PhotoIngestion", "PhotoModel",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "Announcements",
      dependencies: ["PhotoModel", .product(name: "Logging", package: "swift-log")],
      swiftSettings: settings),
    .target(
      name: "AnnouncementsHTTP",
      dependencies: [
        "Announcements", "HTTPClient", "ImageContainers", "PhotoModel",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "ReportFlow",
      dependencies: [
        "Announcements", "CTexts", "HTTPClient", "Hashing", "ImageContainers", "PhotoAttachments",
        "PhotoIngestion", "PhotoModel",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .target(
      name: "ReportFlowViewModels",
      dependencies: [
        "Announcements", "PhotoAttachments", "PhotoIngestion", "PhotoModel", "ReportFlow",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "PhotoStoreSQLite",
      dependencies: [
        "Hashing", "ImageContainers", "PhotoAttachments", "PhotoIngestion",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "PetSpotPhotos",
      dependencies: [
        "ImageContainers", "PhotoAttachments", "PhotoIngestion", "PhotoModel", "PhotoStoreSQLite",
      ],
      swiftSettings: settings),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl")]),
    .target(
      name: "HTTPClient", dependencies: ["CCurl"], swiftSettings: settings),
    .target(
      name: "BlobStoreS3",
      dependencies: [
        "HTTPClient", "Hashing", "ImageContainers", "PhotoAttachments", "PhotoIngestion",
      ],
      swiftSettings: settings),
    .target(
      name: "PhotoStorePostgres",
      dependencies: [
        "CPostgres", "Hashing", "ImageContainers", "PhotoAttachments", "PhotoIngestion",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "PhotoUploads",
      dependencies: [
        "Hashing", "ImageContainers", "PhotoAttachments", "PhotoIngestion", "PhotoModel",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
      ],
      swiftSettings: settings),
    .target(
      name: "PetSpotStores",
      dependencies: [
        "BlobStoreS3", "CBuildSystem", "HTTPClient", "PhotoAttachments", "PhotoIngestion",
        "PhotoStorePostgres", "PhotoStoreSQLite", "ReportFlow",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "PetSpotServer",
      dependencies: [
        "Announcements", "CMalloc", "CQRCode", "CZlib", "Hashing", "ImageContainers",
        "PhotoAttachments", "PhotoIngestion", "PhotoModel", "PhotoUploads",
        "ReportFlow",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Mustache", package: "swift-mustache"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.process("Resources")],
      swiftSettings: settings),
    .executableTarget(
      name: "petspot-main", dependencies: ["petspot", "PhotoIngestion"], swiftSettings: settings),
    .executableTarget(
      name: "petspot-server",
      dependencies: [
        "petspot", "CMalloc", "PetSpotServer", "PetSpotStores", "PhotoAttachments",
        "PhotoIngestion", "ReportFlow", .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "petspot",
      dependencies: [
        "Announcements", "AnnouncementsHTTP", "Hashing", "ImageContainers",
        "PetSpotStores",
        "PhotoAttachments", "PhotoIngestion", "PhotoModel", "ReportFlow",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Mustache", package: "swift-mustache"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AnnouncementsTests", dependencies: ["Announcements", "PhotoModel"],
      swiftSettings: settings),
    .testTarget(
      name: "AppTests", dependencies: ["Announcements", "ImageContainers", "PhotoModel"],
      packageAccess: false,
      swiftSettings: settings),
    .testTarget(
      name: "AnnouncementsHTTPTests",
      dependencies: [
        "petspot", "petspot-server", "Announcements", "AnnouncementsHTTP", "HTTPClient",
        "PhotoIngestion", "ReportFlow", "TestPictures", "TestReports",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "BlobStoreS3Tests",
      dependencies: [
        "petspot", "BlobStoreS3", "HTTPClient", "ImageContainers", "OpenStores",
        "PetSpotStores", "PhotoAttachments", "PhotoIngestion", "PhotoStorePostgres",
        "PhotoStoreSQLite", "ReportFlow", "StoreConformance", "TestPictures", "TestPostgres",
        "TestStores",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .testTarget(name: "HashingTests", dependencies: ["Hashing"], swiftSettings: settings),
    .testTarget(name: "HouseTests", exclude: ["API"], swiftSettings: settings),
    .testTarget(
      name: "ImageContainersTests", dependencies: ["ImageContainers"], swiftSettings: settings),
    .target(
      name: "TestPictures",
      dependencies: [
        "ImageContainers", "PhotoIngestion",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/TestPictures",
      swiftSettings: settings),
    .target(
      name: "StoreConformance",
      dependencies: [
        "Announcements", "ImageContainers", "PhotoAttachments", "PhotoIngestion",
        "ReportFlow", "TestPictures", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/StoreConformance", swiftSettings: settings),
    .target(
      name: "TestPostgres", path: "Tests/TestPostgres", swiftSettings: settings),
    .target(
      name: "TestStores",
      dependencies: [
        "ImageContainers", "PhotoAttachments", "PhotoIngestion", "PhotoModel", "PhotoStoreSQLite",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/TestStores", swiftSettings: settings),
    .target(
      name: "TestReports",
      dependencies: [
        "Announcements", "PhotoAttachments", "PhotoIngestion", "PhotoStoreSQLite",
        "ReportFlow", "ReportFlowViewModels", "TestPictures", "TestStores",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/TestReports", swiftSettings: settings),
    .executableTarget(
      name: "AttachOne", dependencies: ["PetSpotPhotos"],
      path: "Tests/Examples/AttachOne", packageAccess: false,
      // Without MemberImportVisibility, as in most hosts, so that one import is enough.
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "OpenStores", dependencies: ["BlobStoreS3", "PetSpotPhotos", "PhotoStorePostgres"],
      path: "Tests/Examples/OpenStores", packageAccess: false,
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "AttachInTransaction",
      dependencies: ["PetSpotPhotos", .product(name: "GRDB", package: "GRDB.swift")],
      path: "Tests/Examples/AttachInTransaction", packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "UploadHost",
      dependencies: [
        "PetSpotPhotos", "PhotoUploads", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      path: "Tests/Examples/UploadHost", packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "ReadDimensions", dependencies: ["ImageContainers"],
      path: "Tests/Examples/ReadDimensions", packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "PrepareOne", dependencies: ["PhotoIngestion"], path: "Tests/Examples/PrepareOne",
      packageAccess: false, swiftSettings: settings),
    .target(name: "CEscapes", path: "Tests/CEscapes"),
    .executableTarget(
      name: "HostileDecoder", dependencies: ["CEscapes", "PhotoIngestion"],
      path: "Tests/HostileDecoder", swiftSettings: settings),
    .testTarget(
      name: "PhotoIngestionTests",
      dependencies: [
        "petspot", "HostileDecoder", "PhotoIngestion", "ImageContainers", "PrepareOne",
        "ReadDimensions", "TestPictures",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PhotoAttachmentsTests",
      dependencies: [
        "petspot", "AttachOne", "PhotoAttachments", "PhotoIngestion", "PhotoStoreSQLite",
        "ImageContainers", "StoreConformance", "TestPictures", "TestStores",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PhotoStoreSQLiteTests",
      dependencies: [
        "AttachInTransaction", "Announcements", "PetSpotPhotos", "PhotoAttachments",
        "PhotoIngestion",
        "PhotoStoreSQLite", "ReportFlow", "ReportFlowViewModels",
        "ImageContainers", "StoreConformance", "TestPictures", "TestReports", "TestStores",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PhotoStorePostgresTests",
      dependencies: [
        "Announcements", "PhotoAttachments", "PhotoIngestion", "PhotoStorePostgres",
        "PhotoStoreSQLite", "ReportFlow", "ImageContainers", "StoreConformance",
        "TestPictures",
        "TestPostgres", "TestReports", "TestStores",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReportFlowTests",
      dependencies: [
        "Announcements", "PhotoAttachments", "PhotoIngestion", "ReportFlow",
        "ReportFlowViewModels", "TestPictures", "TestReports",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReportFlowViewModelsTests",
      dependencies: [
        "Announcements", "PhotoAttachments", "PhotoIngestion", "PhotoStoreSQLite", "ReportFlow",
        "ReportFlowViewModels", "TestPictures", "TestReports",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PhotoUploadsTests",
      dependencies: [
        "ImageContainers", "PhotoAttachments", "PhotoIngestion", "PhotoModel", "PhotoUploads",
        "StoreConformance", "TestPictures", "TestStores",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PetSpotServerTests",
      dependencies: [
        "petspot", "petspot-server", "UploadHost", "Announcements", "ImageContainers",
        "PetSpotServer", "PetSpotStores", "PhotoAttachments", "PhotoIngestion", "PhotoModel",
        "PhotoUploads", "ReportFlow",
        "StoreConformance",
        "TestPictures", "TestPostgres", "TestStores",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "petspotTests",
      dependencies: [
        "petspot", "Announcements", "PhotoAttachments", "PhotoIngestion", "PhotoModel",
        "ImageContainers", "ReportFlow", "TestPostgres", "TestStores",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
  ]
)
