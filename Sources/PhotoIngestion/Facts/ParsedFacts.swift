import ImageContainers

/// The result of stages 1 to 3.
struct ParsedFacts: Codable {
  var facts: ImageFacts
  var colorProfile: String?
  var plan: Normalization
  var blobFormat: ImageFormat
}
