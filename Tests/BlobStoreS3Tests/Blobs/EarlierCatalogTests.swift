import Foundation
import PhotoAttachments
import TestPostgres
import TestStores
import Testing

@testable import BlobStoreS3

/// Checks that pictures survive when an earlier copy of the records is restored.
@Suite("Earlier copies of the catalog")
struct EarlierCatalogTests {
  private static let sweeping = ["PETSPOT_GRACE_SECONDS": "-1"]

  private func attach(_ name: String, to stores: MovedStores) throws {
    let command = ["attach", "TestImages/\(name)", "--draft", name]
    #expect(try stores.run(command).exit == 0)
  }

  /// Adds a picture that never had a record.
  private func addRubbish(to stores: MovedStores) throws {
    let digest = "71ca7d932e5a9bea82b11425bc83d474727bb94ecde72145e063f8b23b176ea3"
    let folder = stores.cache.folder.path + "/blobs/\(digest.prefix(2))/"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("rubbish".utf8).write(
      to: URL(fileURLWithPath: folder + digest.dropFirst(2) + ".jpg"))
  }

  /// Sweeps, and expects that the pictures stay, even after other photos are added.
  private func check(_ stores: MovedStores) throws {
    let before = Set(stores.cache.files.filter { $0.hasPrefix("blobs/") })
    let swept = try stores.run(["sweep"], Self.sweeping)
    #expect(swept.exit == 0 && swept.last["removedBlobs"] as? Int == 0, "\(swept.text)")
    let verified = try stores.run(["verify"])
    #expect(verified.exit == 65 && verified.last["recordsLost"] as? Bool == true)
    for name in ["animated.gif", "baseline-420.jpg"] { try attach(name, to: stores) }
    #expect(try stores.run(["sweep"], Self.sweeping).last["removedBlobs"] as? Int == 0)
    #expect(before.isSubset(of: stores.cache.files))
  }

  @Test("Pictures of later photos stay when an earlier file of the catalog is put back")
  func file() throws {
    let stores = MovedStores()
    try attach("alpha.png", to: stores)
    let (catalog, copy) = (stores.cache.folder.catalog, stores.cache.folder.path + "-copy")
    try FileManager.default.copyItem(atPath: catalog, toPath: copy)
    try attach("gps-exif.jpg", to: stores)
    try FileManager.default.removeItem(atPath: catalog)
    try FileManager.default.moveItem(atPath: copy, toPath: catalog)
    try check(stores)
  }

  @Test(
    "Pictures of later photos stay when an earlier dump of a database is put back",
    .enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
  func database() throws {
    let database = try TestDatabase()
    var stores = MovedStores()
    stores.addresses = ["--database", database.url]
    try attach("alpha.png", to: stores)
    let copy = database.name + "copy"
    try database.server.sql("CREATE DATABASE \(copy) TEMPLATE \(database.name)", in: "postgres")
    try attach("gps-exif.jpg", to: stores)
    try database.server.sql("DROP DATABASE \(database.name)", in: "postgres")
    try database.server.sql("ALTER DATABASE \(copy) RENAME TO \(database.name)", in: "postgres")
    try check(stores)
  }

  @Test(
    "Without an earlier copy, pictures without a record are swept, even after the last photo is forgotten"
  )
  func latest() throws {
    let stores = MovedStores()
    for name in ["alpha.png", "gps-exif.jpg"] { try attach(name, to: stores) }
    #expect(try stores.run(["remove", "--draft", "gps-exif.jpg"]).exit == 0)
    try addRubbish(to: stores)
    #expect(try stores.run(["sweep"], Self.sweeping).last["removedBlobs"] as? Int == 1)
  }

  @Test(
    "A copy that is restored a second time is noticed, and so is the newest one after an earlier one"
  )
  func again() throws {
    let stores = MovedStores()
    let catalog = stores.cache.folder.catalog
    try attach("alpha.png", to: stores)
    let (first, last) = (catalog + "-first", catalog + "-last")
    try FileManager.default.copyItem(atPath: catalog, toPath: first)
    try attach("gps-exif.jpg", to: stores)
    try FileManager.default.copyItem(atPath: catalog, toPath: last)
    for (copy, next) in [
      (first, "animated.gif"), (first, "baseline-420.jpg"), (last, "display-p3.jpg"),
    ] {
      try FileManager.default.removeItem(atPath: catalog)
      try FileManager.default.copyItem(atPath: copy, toPath: catalog)
      let before = Set(stores.cache.files.filter { $0.hasPrefix("blobs/") })
      let swept = try stores.run(["sweep"], Self.sweeping)
      #expect(swept.exit == 0 && swept.last["removedBlobs"] as? Int == 0, "\(copy)")
      try attach(next, to: stores)
      #expect(before.isSubset(of: stores.cache.files))
    }
  }

  @Test("An earlier copy of the whole folder is noticed when it is copied over the current one")
  func over() throws {
    let stores = MovedStores()
    let folder = stores.cache.folder.path
    try attach("alpha.png", to: stores)
    let copy = folder + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.copyItem(atPath: folder, toPath: copy)
    try attach("gps-exif.jpg", to: stores)
    for case let name as String in FileManager.default.enumerator(atPath: copy) ?? .init() {
      let (source, target) = (copy + "/" + name, folder + "/" + name)
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: source, isDirectory: &isFolder)
      if isFolder.boolValue { continue }
      try? FileManager.default.removeItem(atPath: target)
      try FileManager.default.copyItem(atPath: source, toPath: target)
    }
    try check(stores)
  }

  @Test(
    "A database user with only the documented rights can work, and notices earlier copies",
    .enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
  func rights() throws {
    let database = try TestDatabase()
    var stores = MovedStores()
    stores.addresses = ["--database", database.url]
    #expect(try stores.run(["list"]).exit == 0)
    let role = "shelter" + database.name
    try database.sql(
      """
      CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA petspot TO \(role);
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA petspot TO \(role);
      GRANT USAGE ON SEQUENCE petspot.ticket TO \(role)
      """)
    defer { _ = try? database.sql("DROP OWNED BY \(role); DROP ROLE \(role)") }
    stores.addresses = ["--database", database.url(of: role)]
    for name in ["alpha.png", "animated.gif"] { try attach(name, to: stores) }
    try database.sql("GRANT SELECT, UPDATE ON SEQUENCE photo_sequence_seq TO \(role)")
    try attach("baseline-420.jpg", to: stores)
    #expect(try stores.run(["sweep"], Self.sweeping).last["removedBlobs"] as? Int == 0)
    #expect(try stores.run(["verify"]).exit == 0)
  }

  @Test("Other files beside the note stay")
  func note() throws {
    let stores = MovedStores()
    try attach("alpha.png", to: stores)
    let folder = stores.cache.folder.path + "/newest"
    try Data().write(to: URL(fileURLWithPath: folder + "/letter"))
    try attach("gps-exif.jpg", to: stores)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        == ["-0000000000000000002", "letter"])
  }
}
