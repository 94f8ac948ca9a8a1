import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite

DecoderWorker.serveIfAsked()
let cache = try await PhotoAttachmentCache.open(CacheFolder(path: "cache"))
let photo = try await cache.attach(.file(path: "rex.heic"), draft: "17")

print("\(photo.fileName): \(photo.pixelWidth) × \(photo.pixelHeight), \(photo.blob.path)")
