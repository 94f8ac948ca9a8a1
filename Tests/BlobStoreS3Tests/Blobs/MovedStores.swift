import Foundation
import Glibc
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoStorePostgres
import PhotoStoreSQLite
import ReportFlow
import TestPostgres
import TestStores

@testable import BlobStoreS3

/// Stores for runs of `petspot`: in a folder, or in a database and on an S3 server.
struct MovedStores {
  let cache = TemporaryCache()
  var addresses: [String] = []
  var environment: [String: String] = [:]

  /// Uses the stores in the folder.
  init() {}

  /// Uses the stores on two servers.
  init(_ database: TestDatabase, _ server: S3Server, blobs: String) {
    addresses = ["--database", database.url, "--blobs", blobs]
    environment = server.environment
  }

  var arguments: [String] { ["--cache", cache.folder.path] + addresses }

  /// Starts a command, with its output redirected to a file.
  func start(
    _ arguments: [String], _ more: [String: String] = [:]
  ) throws -> (process: Process, output: String) {
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: "petspot")
    process.arguments = arguments + ["--json"] + self.arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      .merging(more) { $1 }
    let output = cache.folder.path + "-\(UUID().uuidString).out"
    try Data().write(to: URL(fileURLWithPath: output))
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    return (process, output)
  }

  /// Runs a command. Returns its exit code, its output, and the object on the last line.
  @discardableResult
  func run(
    _ arguments: [String], _ more: [String: String] = [:]
  ) throws -> (exit: Int32, text: String, last: [String: Any]) {
    let (process, output) = try start(arguments, more)
    process.waitUntilExit()
    defer { unlink(output) }
    let text = try String(contentsOfFile: output, encoding: .utf8)
    let last = try text.split(separator: "\n").last.map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
    return (process.terminationStatus, text, last ?? [:])
  }

  /// Returns all output of commands about stored data, without the addresses of the pictures.
  func told() throws -> [String] {
    try [
      ["list", "--limit", "1000"], ["status"], ["status", "--draft", "other"],
      ["report", "status"], ["report", "status", "--draft", "begun"], ["announcements"],
    ].map { command in
      let run = try run(command)
      return "\(command) \(run.exit)\n"
        + run.text.replacing(/"(cachedURL|path)":"[^"]*"/, with: "")
    }
  }

  /// Stores photos, attachments, a report in progress and a submitted one.
  ///
  /// - Returns: the announcement's ID and password.
  func fill() throws -> (id: String, password: String) {
    let folder = cache.folder.path + "-photos"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in ["baseline-420.jpg", "alpha.png", "animated.gif", "depth-map.heic", "empty.jpg"] {
      try FileManager.default.copyItem(atPath: "TestImages/" + name, toPath: "\(folder)/\(name)")
    }
    let imported = try run(["import", folder]).text.split(separator: "\n")
    let assets = try imported.compactMap {
      try (JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["id"] as? String
    }
    let description = [
      "describe", "--species", "dog", "--race", "Pug", "--gender", "male", "--latitude", "52.2297",
      "--longitude", "21.0122",
    ]
    for arguments in [
      ["attach", "--asset", assets[0], "--draft", "other"],
      ["attach", "TestImages/orientation-6.jpg"],
      ["report", "chip", "--number", "123456789012345", "--draft", "begun"],
      ["report", "chip", "--number", "985112345678909"],
      ["report", "photo", "TestImages/gps-exif.jpg"], ["report"] + description,
      ["report", "contact", "--name", "Jan", "--phone", "+48 600 700 800"],
    ] { try run(arguments) }
    let answer = try run(["report", "submit"]).last
    let announcement = answer["announcement"] as? [String: Any]
    return (
      announcement?["id"] as? String ?? "", answer["managementPassword"] as? String ?? ""
    )
  }
}

extension StoreMove.Side {
  /// Returns the stores in a folder.
  static func embedded(_ cache: TemporaryCache) throws -> Self {
    Self(try cache.open(tables: [.reports]))
  }

  /// Returns the stores on two servers.
  static func large(
    _ database: TestDatabase, _ server: S3Server, blobs: String, _ cache: TemporaryCache
  ) throws -> Self {
    let (logger, client) = (Logger(label: "tests"), try server.client(url: blobs))
    try cache.folder.make()
    let catalog = try PostgresCatalog(
      try PostgresAddress(database.url), tables: [.reports], timeout: 10, hasPictures: false,
      logger: logger)
    let ledger = try catalog.ledger(of: client.address.place)
    let photos = PhotoAttachmentCache(
      cache.folder, catalog: Catalog(catalog), blobs: S3BlobStorage(client, ledger: ledger),
      policy: .init(),
      pool: WorkerPool(threadCount: 1), decoding: .inProcess, now: { Date() }, newID: { UUID() },
      logger: logger)
    return Self(photos)
  }
}
