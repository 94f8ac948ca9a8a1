/// The maximum sizes of a worker's messages. A worker that announces more is broken or compromised.
extension DecoderRequest {
  /// The maximum number of `stage` messages for one request, with room for future stages.
  static let maxStages = 64
  /// The maximum size in bytes of a JSON text that contains nothing from the file.
  private static let smallJSON = 64 << 10

  /// Returns the bounds of the message by which a worker reports that it is ready.
  static func readyBounds(_ kind: DecoderMessage.Kind) -> DecoderMessage.Bounds {
    kind == .ready ? .init(json: smallJSON) : .none
  }

  /// Returns the bounds of the messages that answer this request.
  ///
  /// - Parameters:
  ///   - sourceBytes: the size in bytes of the file that was sent.
  ///   - pixels: the number of pixels across all frames as the worker reports it. Capped at the policy's limit.
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
      // Every part is listed, and the profile's bytes are numbers: at most 32 bytes of JSON per byte.
      return .init(json: Self.smallJSON + min(32 * sourceBytes, 64 << 20))
    case .prepare:
      // No encoder used here needs 6 bytes per pixel. A PNG has at most 4 samples, which deflate may leave
      // uncompressed, and a JPEG of noise has fewer. Data that is carried over only gets smaller.
      let area = 6 * min(max(0, pixels), policy.maxPixels)
      return .init(
        // The name of a profile can have any length.
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
