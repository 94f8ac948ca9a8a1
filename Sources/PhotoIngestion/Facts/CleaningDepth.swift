/// How far stage 4 goes into a photo's compressed data to take out what is no picture.
///
/// Each photo begins with the least, because hardly any file hides something there and looking
/// costs time. When the proof of stage 5 refuses the product, or a decoder the photo, stage 4 runs once more.
enum CleaningDepth: Codable {
  /// Copied as it is: the proof reads it anyway, and makes the preview where it decodes pixels.
  case asIs
  /// Read to its last code, and coded anew: with the same coefficients where that suffices, else from pixels.
  case codedAnew
}
