/// How far stage 4 goes into a photo's data. Hardly any file hides something there, so each photo
/// begins with the least, and only what the proof refuses is taken with more care.
enum DataCare: Codable {
  /// The proof reads it anyway, and gives the preview where it sees pixels.
  case leftToProof
  /// Read to its last code; what decoding does not need is cut out.
  case read
  /// Decoded and coded anew.
  case codedAnew

  /// The next more careful way, nil when there is none.
  var more: DataCare? {
    switch self {
    case .leftToProof: .read
    case .read: .codedAnew
    case .codedAnew: nil
    }
  }
}
