import BlobStoreS3
import PhotoAttachments
import PhotoStorePostgres

/// Opens the stores of many machines.
func open(
  _ folder: CacheFolder, database: String, bucket: String
) async throws -> PhotoAttachmentCache {
  let pictures = try ObjectStore.s3(bucket)
  let cache = try await PhotoAttachmentCache.open(
    folder, database: database, objects: pictures)
  return cache
}
