/// At most how large an answer can be: a worker that announces more is broken or compromised.
extension DecoderRequest {
  /// Messages of kind `stage` that one request can have, with room for stages to come.
  static let maxStages = 64
  /// Bytes of a JSON text that contains nothing of the file.
  private static let smallJSON = 64 << 10

  /// Bounds of the message by which a worker reports that it is ready.
  static func readyBounds(_ kind: DecoderMessage.Kind) -> DecoderMessage.Bounds {
    kind == .ready ? .init(json: smallJSON) : .none
  }

  /// Bounds of the messages that answer this request.
  ///
  /// - Parameters:
  ///   - sourceBytes: size of the file that was sent along.
  ///   - pixels: pixels of all the photo's frames as the worker counts them; more than the policy takes count as
  ///     that.
  func bounds(
    _ kind: DecoderMessage.Kind, sourceBytes: Int, pixels: Int
  ) -> DecoderMessage.Bounds {
    switch kind {
    case .ready, .request: return .none
    case .stage: return .init(json: 256)
    case .refusal: return .init(json: Self.smallJSON)
    case .answer: break
    }
    switch work {
    case .inspect:
      // Every part is listed, and the profile's bytes are numbers: at most 32 bytes of JSON for each byte.
      return .init(json: Self.smallJSON + min(32 * sourceBytes, 64 << 20))
    case .prepare:
      // No encoder used here needs 6 bytes a pixel: a PNG has at most 4 samples, which deflate can leave
      // uncompressed, and a JPEG of noise has fewer. What is carried over only loses bytes.
      let area = 6 * min(max(0, pixels), policy.maxPixels)
      return .init(
        // The name of a profile is as long as it likes.
        json: Self.smallJSON + min(2 * sourceBytes, 16 << 20),
        first: Self.smallJSON + 2 * sourceBytes + area,
        second: maxPreviewBytes)
    case .preview: return .init(json: 512, first: maxPreviewBytes)
    case .raster(_, let side): return .init(json: 512, first: 3 * side * side)
    case .size(let form, _, _, _):
      return .init(json: 512, first: Self.smallJSON + 6 * form.size.width * form.size.height)
    case .pixelDigest: return .init(json: 512)
    }
  }

  private var maxPreviewBytes: Int { Self.smallJSON + 4 * policy.previewSide * policy.previewSide }
}
