// swift-tools-version: 6.2

import PackageDescription

/// The libraries as another package takes them; `Scripts/libraries` builds and runs it.
let package = Package(
  name: "Outside",
  dependencies: [
    .package(name: "PetSpot", path: "../../.."),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1",
      traits: []),
  ],
  targets: [
    .executableTarget(
      name: "Outside",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Announcements", package: "PetSpot"),
        .product(name: "AnnouncementsHTTP", package: "PetSpot"),
        .product(name: "BlobStoreS3", package: "PetSpot"),
        .product(name: "ImageContainers", package: "PetSpot"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "PetSpotPhotos", package: "PetSpot"),
        .product(name: "PetSpotServer", package: "PetSpot"),
        .product(name: "PhotoAttachments", package: "PetSpot"),
        .product(name: "PhotoIngestion", package: "PetSpot"),
        .product(name: "PhotoModel", package: "PetSpot"),
        .product(name: "PhotoStoreSQLite", package: "PetSpot"),
        .product(name: "PhotoStorePostgres", package: "PetSpot"),
        .product(name: "PhotoUploads", package: "PetSpot"),
        .product(name: "ReportFlow", package: "PetSpot"),
        .product(name: "ReportFlowViewModels", package: "PetSpot"),
      ]),
    .executableTarget(
      name: "Shelter",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "PetSpotPhotos", package: "PetSpot"),
        .product(name: "PhotoUploads", package: "PetSpot"),
      ]),
    .testTarget(
      name: "OutsideTests",
      dependencies: [
        "Outside", .product(name: "HummingbirdTesting", package: "hummingbird"),
      ]),
    .testTarget(
      name: "ShelterTests",
      dependencies: [
        "Shelter", .product(name: "HummingbirdTesting", package: "hummingbird"),
      ]),
  ]
)
