/// What an answer can be at most: a worker that announces more is out of its mind or out of our hands.
extension DecoderRequest {
  /// Stage frames that one request can have, with room for stages to come.
  static let mostStages = 64
  /// Bytes of a text that holds nothing of the file.
  private static let smallJSON = 64 << 10

  /// Of the frame that a worker says when it is ready.
  static func readyBounds(_ kind: DecoderFrame.Kind) -> DecoderFrame.Bounds {
    kind == .ready ? .init(json: smallJSON) : .none
  }

  /// Of the frames that answer this request.
  ///
  /// - Parameters:
  ///   - sourceBytes: size of the file that was sent along.
  ///   - pixels: pixels of all frames as the worker counts them; more than the policy takes count as
  ///     that.
  func bounds(
    _ kind: DecoderFrame.Kind, sourceBytes: Int, pixels: Int
  ) -> DecoderFrame.Bounds {
    switch kind {
    case .ready, .request: return .none
    case .stage: return .init(json: 256)
    case .refusal: return .init(json: Self.smallJSON)
    case .answer: break
    }
    switch work {
    case .inspect:
      // Every part is listed, and the profile's bytes are numbers: at the most 32 for a byte.
      return .init(json: Self.smallJSON + min(32 * sourceBytes, 64 << 20))
    case .prepare:
      // No encoder used here takes 6 bytes a pixel: 4 samples, deflated at worst as they are, or a JPEG
      // of noise. What is carried over only loses bytes.
      let area = 6 * min(max(0, pixels), policy.mostPixels)
      return .init(
        // The name of a profile is as long as it likes.
        json: Self.smallJSON + min(2 * sourceBytes, 16 << 20),
        first: Self.smallJSON + 2 * sourceBytes + area,
        second: mostPreview)
    case .preview: return .init(json: 256, first: mostPreview)
    case .raster(_, let side): return .init(json: 256, first: 3 * side * side)
    case .sizes(let forms, _, _, _):
      return .init(
        json: 256,
        first: forms.reduce(0) { $0 + Self.smallJSON + 6 * $1.size.width * $1.size.height })
    case .pixelDigest: return .init(json: 256)
    }
  }

  private var mostPreview: Int { Self.smallJSON + 4 * policy.previewSide * policy.previewSide }
}
