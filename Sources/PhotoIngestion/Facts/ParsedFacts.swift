import ImageContainers

/// What stages 1 to 3 find out about a photo.
struct ParsedFacts: Codable {
  var facts: ImageFacts
  var colorProfile: String?
  var plan: Normalization
  var blobFormat: ImageFormat
}
