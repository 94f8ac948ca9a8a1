/// How far stage 4 goes into a photo's compressed data to take out what is no picture.
///
/// Each photo begins with the least, because hardly any file hides something there and looking
/// costs time. When the proof of stage 5 refuses the product, stage 4 runs again with the next
/// case.
enum CleaningDepth: Codable {
  /// Copied unread: the proof reads it anyway, and makes the preview where it decodes pixels.
  case leftToProof
  /// Read to its last code; what decoding does not need is cut out.
  case read
  /// Decoded and coded again.
  case recoded

  /// The next deeper one, nil when there is none.
  var next: CleaningDepth? {
    switch self {
    case .leftToProof: .read
    case .read: .recoded
    case .recoded: nil
    }
  }
}
