import Foundation
import GRDB
import PetSpotPhotos

// Attaches a photo to row after row of its own table until it is killed, each in one transaction with the row. Every
// third transaction is rolled back, and every fourth replaces the photo of an earlier row.
//
// Arguments: a folder, `queue` or `pool`, and a GIF of one pixel, whose color is changed for every photo.

DecoderWorker.serveIfAsked()
let arguments = CommandLine.arguments
let folder = arguments[1]
let file = folder + "/host.sqlite"
let database: any DatabaseWriter =
  arguments[2] == "pool" ? try DatabasePool(path: file) : try DatabaseQueue(path: file)
try database.write { db in
  try db.execute(sql: "CREATE TABLE IF NOT EXISTS pet (key TEXT PRIMARY KEY) STRICT")
}
let photos = try await PhotoAttachmentCache.open(
  in: database, folder: .folder(folder + "/pictures"), decoding: .inProcess)

let picture = Array(try Data(contentsOf: URL(fileURLWithPath: arguments[3])))

/// Returns the GIF with other colors.
func pictureInAnyColor() -> [UInt8] {
  var picture = picture
  for byte in 13..<37 { picture[byte] = .random(in: 0...255) }
  return picture
}

struct ChangedMind: Error {}

for number in 0... {
  let key =
    "pet-\(ProcessInfo.processInfo.processIdentifier)-\(number % 4 == 3 ? number - 1 : number)"
  let photo = try await photos.prepare(.bytes(pictureInAnyColor(), name: "pet.gif"))
  do {
    try database.write { db in
      try db.execute(sql: "INSERT OR IGNORE INTO pet (key) VALUES (?)", arguments: [key])
      try photos.attach(photo, to: AttachmentKey(key), in: db)
      if number % 3 == 2 { throw ChangedMind() }
    }
    print("attached \(key)")
  } catch is ChangedMind {}
}
