import Foundation
import PhotoAttachments
import TestPostgres
import TestStores
import Testing

@testable import BlobStoreS3

/// What happens to pictures when an earlier copy of the records is put back.
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

  /// Sweeps, and proves that the pictures stay, also after other photos came.
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

  @Test("Without a copy, rubbish is swept, also after the last photos were forgotten")
  func latest() throws {
    let stores = MovedStores()
    for name in ["alpha.png", "gps-exif.jpg"] { try attach(name, to: stores) }
    #expect(try stores.run(["remove", "--draft", "gps-exif.jpg"]).exit == 0)
    try addRubbish(to: stores)
    #expect(try stores.run(["sweep"], Self.sweeping).last["removedBlobs"] as? Int == 1)
  }

  @Test("A note that can't be understood keeps pictures, and one that can't be read is an error")
  func note() throws {
    let stores = MovedStores()
    try attach("alpha.png", to: stores)
    let note = stores.cache.folder.path + "/database/newest"
    try addRubbish(to: stores)
    try Data("later".utf8).write(to: URL(fileURLWithPath: note))
    try check(stores)
    try FileManager.default.removeItem(atPath: note)
    try FileManager.default.createDirectory(atPath: note, withIntermediateDirectories: false)
    #expect(try stores.run(["sweep"], Self.sweeping).exit == 74)
  }
}
