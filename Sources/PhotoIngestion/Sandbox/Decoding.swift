import ImageContainers

/// Handles requests that need a decoder. `DecoderPool` uses separate processes, and `InProcessDecoder` this one.
protocol Decoding: Sendable {
  /// Lends a photo a decoder for all of its requests, if photos must not share a decoder. Otherwise passes
  /// `nil`, so that another photo can use the decoder while this one is verified.
  func withLease<T>(_ body: (DecoderLease?) throws -> T) throws -> T

  /// Handles a request about a file.
  ///
  /// - Parameters:
  ///   - sha256: the file's digest, which identifies it again if it crashes the decoder.
  ///   - lease: the photo's lease, if it has one.
  ///   - times: the time spent is added here, even if the file is refused.
  func answer(
    _ request: DecoderRequest, about bytes: [UInt8], sha256: String, of lease: DecoderLease?,
    times: inout StageTimes
  ) throws -> DecoderAnswer
}

extension Decoding {
  /// Handles a request that needs no lease and whose time is not measured.
  func answer(
    _ work: DecoderRequest.Work, about bytes: [UInt8], sha256: String,
    policy: PhotoPolicy = .init()
  ) throws -> DecoderAnswer {
    var times = StageTimes()
    return try answer(
      DecoderRequest(work: work, policy: policy), about: bytes, sha256: sha256, of: nil,
      times: &times)
  }
}

/// The answer of a decoder: facts, and the bytes of pictures.
struct DecoderAnswer {
  var facts: Facts
  /// The blob, or the bytes of another picture.
  var first: [UInt8] = []
  /// The preview that belongs to a blob.
  var second: [UInt8] = []

  /// The facts for each kind of `DecoderRequest.Work`.
  enum Facts: Codable {
    case inspect(ParsedFacts)
    case prepare(DecodedPhoto.Facts)
    case preview(ImageFormat, perceptualHash: UInt64)
    case raster(width: Int, height: Int)
    case size
    case pixelDigest(String)
  }
}
