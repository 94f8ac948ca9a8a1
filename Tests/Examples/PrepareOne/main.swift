import Foundation
import PhotoIngestion

DecoderWorker.serveIfAsked()
let pipeline = PhotoPipeline()
let photo = try await pipeline.prepare(.file(path: "rex.heic"))
print(photo.pixelWidth, photo.pixelHeight, photo.blob.format, photo.normalization.losses)
try Data(photo.blob.bytes).write(to: URL(filePath: "rex.jpg"))
