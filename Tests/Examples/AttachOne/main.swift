import Foundation
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite

DecoderWorker.serveIfAsked()  // this program is started again to decode
do {
  let cache = try await PhotoAttachmentCache.open(CacheFolder(path: "cache"))
  let photo = try await cache.attach(.file(path: "rex.heic"), draft: "17")
  print(photo.cachedURL.path)
  switch try await cache.status(draft: "17") {
  case .empty: print("empty")
  case .loading: print("loading")
  case .confirmed(let photo): print("confirmed", photo.fileName)
  }
} catch {
  print("The photo wasn't attached: \(error)")
}
