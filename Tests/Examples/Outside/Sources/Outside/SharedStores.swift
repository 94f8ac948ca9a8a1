import BlobStoreS3
import PhotoAttachments
import PhotoIngestion
import PhotoStorePostgres
import PhotoStoreSQLite

/// Opens a cache that takes small photos only.
func openStrict(_ folder: CacheFolder) async throws -> PhotoAttachmentCache {
  var policy = PhotoPolicy()
  policy.fileBytes = 5_000_000
  policy.limits.pixels = 8_000_000
  let cache = try await PhotoAttachmentCache.open(
    folder, policy: policy)
  return cache
}

/// Opens the stores of many machines.
func open(
  _ folder: CacheFolder, database: String, bucket: String
) async throws -> PhotoAttachmentCache {
  let pictures = try ObjectStore.s3(bucket)
  let cache = try await PhotoAttachmentCache.open(
    folder, database: database, objects: pictures)
  return cache
}
