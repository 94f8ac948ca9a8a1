import ImageContainers

/// Answers what takes decoding: `DecoderPool` in processes of its own, `InProcessDecoder` in this one.
protocol Decoding: Sendable {
  /// Lends a photo a decoder for all questions about it, where no other photo may come to that decoder;
  /// elsewhere another photo has it while this one is verified.
  func withLease<T>(_ body: (DecoderLease?) throws -> T) throws -> T

  /// Answers a question about a file.
  ///
  /// - Parameters:
  ///   - sha256: the file's digest, to know it again should it crash the decoder.
  ///   - lease: the photo's, when it has one.
  ///   - times: what it takes is added here, also when the file is refused.
  func answer(
    _ request: DecoderRequest, about bytes: [UInt8], sha256: String, of lease: DecoderLease?,
    times: inout StageTimes
  ) throws -> DecoderAnswer
}

extension Decoding {
  /// Answers a question that needs no lease, and whose time is not measured.
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

/// What a decoder answers: facts, and the bytes of pictures.
struct DecoderAnswer {
  var facts: Facts
  /// The blob, or what there is of another picture.
  var first: [UInt8] = []
  /// The preview beside a blob.
  var second: [UInt8] = []

  /// The facts of each kind of `DecoderRequest.Work`.
  enum Facts: Codable {
    case inspect(ParsedFacts)
    case prepare(DecodedPhoto.Facts)
    case preview(ImageFormat, perceptualHash: UInt64)
    case raster(width: Int, height: Int)
    case size
    case pixelDigest(String)
  }
}
