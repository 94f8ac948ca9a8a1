import Foundation
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite

DecoderWorker.serveIfAsked()  // the program is its own decoder
do {
  let folder = CacheFolder(path: "cache")
  let cache = try await PhotoAttachmentCache.open(folder)
  let rex = PhotoSource.file(path: "rex.heic")
  let photo = try await cache.attach(rex, draft: "17")
  print(photo.cachedURL.path)
  switch try await cache.status(draft: "17") {
  case .empty: print("empty")
  case .loading: print("loading")
  case .confirmed(let photo): print("confirmed", photo.fileName)
  }
} catch {
  print("Not attached: \(error)")
}
