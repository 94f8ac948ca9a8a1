import ImageContainers

/// What stages 1 to 3 find out about a photo.
struct ParsedFacts: Codable {
  var facts: ImageFacts
  var colorProfile: String?
  var plan: Normalization
  var blobFormat: ImageFormat

  init(of photo: WalkedPhoto) {
    facts = photo.facts
    colorProfile = photo.plan.colorProfile
    plan = photo.plan.normalization
    blobFormat = photo.plan.blobFormat
  }
}
