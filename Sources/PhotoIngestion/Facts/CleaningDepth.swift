/// The depth to which stage 4 of `PhotoPipeline` (normalize) removes data other than the picture from a photo's
/// compressed data.
///
/// Each photo starts at the lowest depth, because hardly any file hides data there and checking takes time. If stage 5
/// (verify) rejects the product, or a decoder refuses the photo, stage 4 runs again with `codedAnew`.
enum CleaningDepth: Codable {
  /// The data is copied unchanged. Verification reads it anyway, and makes the preview if it decodes pixels.
  case asIs
  /// The data is decoded to its last code and encoded again: with the same coefficients if possible, otherwise from
  /// pixels.
  case codedAnew
}
