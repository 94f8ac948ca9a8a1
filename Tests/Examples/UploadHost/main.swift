import Foundation
import Hummingbird
import NIOCore
import PetSpotPhotos

// The server of the article PhotoUploads. Its argument is the folder of its photos.

DecoderWorker.serveIfAsked()  // the program is its own decoder
let photos = try await PhotoAttachmentCache.open(.folder(CommandLine.arguments[1]))
_ = try await photos.sweep()  // what a killed process left

let router = Router(context: ShelterContext.self)
router.add(middleware: Accounts())
addPhotos(photos, to: router)
router.get("keys") { _, _ in
  try await photos.keys().map(\.text).joined(separator: "\n")
}
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
  onServerRunning: { channel in
    let port = channel.localAddress?.port ?? 0
    FileHandle.standardOutput.write(Data("port \(port)\n".utf8))
  })
try await application.runService()
