import Hummingbird
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite

DecoderWorker.serveIfAsked()  // the program is its own decoder
let folder = CacheFolder(path: "photos")
let cache = try await PhotoAttachmentCache.open(folder)
_ = try await cache.sweep()  // what a killed process left
let application = Application(
  router: Photos(cache: cache).router,
  configuration: .init(address: .hostname("127.0.0.1", port: 8080)))
try await application.runService()
try await cache.close()
