import ImageContainers

/// The facts and plan after stages 1 to 3, which a worker returns for an inspection. `ParsedPhoto` also has the bytes.
struct ParsedFacts: Codable {
  var facts: ImageFacts
  var colorProfile: String?
  var plan: Normalization
  var blobFormat: ImageFormat
}
