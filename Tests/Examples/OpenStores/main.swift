import BlobStoreS3
import PetSpotPhotos
import PhotoStorePostgres

// Attaches a photo in stores at the given addresses, and prints the sentence if that fails.
//
// Arguments: a bucket, and a database or `-` for SQLite.

DecoderWorker.serveIfAsked()
let arguments = CommandLine.arguments
let folder = CacheFolder(path: "photos")
do {
  let objects = try ObjectStore.s3(arguments[1])
  let photos =
    arguments[2] == "-"
    ? try await PhotoAttachmentCache.open(folder, objects: objects)
    : try await PhotoAttachmentCache.open(folder, database: arguments[2], objects: objects)
  _ = try await photos.attach(.file("rex.heic"), to: "pet-17")
  print("attached")
} catch {
  print(error.localizedDescription)
}
