import Hummingbird
import PetSpotPhotos

DecoderWorker.serveIfAsked()  // the program is its own decoder
let cache = try await PhotoAttachmentCache.open(.folder("photos"))
_ = try await cache.sweep()  // deletes what a killed process left
let application = Application(
  router: Photos(cache: cache).router,
  configuration: .init(address: .hostname("127.0.0.1", port: 8080)))
try await application.runService()
try await cache.close()
