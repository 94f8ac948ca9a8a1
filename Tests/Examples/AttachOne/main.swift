import PetSpotPhotos

DecoderWorker.serveIfAsked()  // the program is its own decoder
do {
  let photos = try await PhotoAttachmentCache.open(.folder("photos"))
  let photo = try await photos.attach(.file("rex.heic"), to: "pet-17")
  print(photo.cachedURL.path, photo.pixelWidth, photo.pixelHeight)
  print(try await photos.photo(of: "pet-17")?.fileName ?? "no photo")
} catch {
  print("Not attached: \(error)")
}
