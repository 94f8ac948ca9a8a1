import GRDB
import PetSpotPhotos
import SystemPackage

/// The code of the article InYourOwnTransaction, which `HouseTests` compares. `HostDatabaseTests` runs the same calls.
struct TransactionExamples {
  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("pets") { db in
      try db.execute(
        sql: "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
    }
    return migrator
  }

  func open() async throws -> (any DatabaseWriter, PhotoAttachmentCache) {
    let database = try DatabasePool(path: "shelter.sqlite")
    try migrator.migrate(database)
    let photos = try await PhotoAttachmentCache.open(
      in: database, folder: .folder("photos"))
    return (database, photos)
  }

  func attach(
    _ database: any DatabaseWriter, _ photos: PhotoAttachmentCache
  ) async throws {
    let photo = try await photos.prepare(.file("rex.heic"))
    try await database.write { db in
      try db.execute(
        sql: "INSERT INTO pet (id, name) VALUES (17, 'Rex')")
      try photos.attach(photo, to: "pet-17", in: db)
    }
  }

  func remove(
    _ database: any DatabaseWriter, _ photos: PhotoAttachmentCache
  ) async throws {
    try await database.write { db in
      try db.execute(sql: "DELETE FROM pet WHERE id = 17")
      try photos.remove("pet-17", in: db)
    }
  }
}
