package import ImageContainers
import Synchronization

extension DecoderWorker {
  /// Makes this program its own decoder. Returns at once, but in a process that a `DecoderPool` of this
  /// program has started to decode: there it serves and never returns.
  ///
  /// Call it first thing in `main`, which may be `async`, before anything starts a thread: a worker with
  /// a second thread refuses to work (`PhotoError.fault(.sandboxThreads)`).
  public static func serveIfAsked() {
    if let options = Options.ofProcess() { serve(options, answer) }
    isOffered.store(true, ordering: .releasing)
  }

  /// Does what a request asks for.
  package static func answer(
    _ request: DecoderRequest, message: DecoderMessage,
    onStage: (PhotoStage, ImageFacts?) -> Void, times: () -> StageTimes
  ) throws(PhotoError) -> DecoderMessage {
    let bytes = message.first
    // Name and digest stay with the keeper: nothing here depends on them.
    let received = ReceivedFile(bytes: bytes, sha256: "")
    switch request.work {
    case .inspect:
      let photo = try PhotoPipeline.planned(
        received, policy: request.policy, onStage: onStage)
      return DecoderMessage(
        kind: .answer, json: try DecoderJSON.encode(WalkedFacts(of: photo)))
    case .prepare(let depth):
      var photo = try PhotoPipeline.decode(
        received, policy: request.policy, depth: depth, onStage: onStage)
      photo.facts.times = times()
      return DecoderMessage(
        kind: .answer, json: try DecoderJSON.encode(photo.facts), first: photo.blob,
        second: photo.preview)
    case .preview(let width, let height, let bands):
      onStage(.preview, nil)
      let picture = SmallPicture(pixels: bytes, width: width, height: height, bands: bands)
      let preview = try PictureDecoder.preview(of: picture, policy: request.policy)
      let facts = PreviewFacts(
        format: preview.format, perceptualHash: preview.perceptualHash, times: times())
      return DecoderMessage(
        kind: .answer, json: try DecoderJSON.encode(facts), first: preview.bytes)
    case .sizes(let forms, let format, let width, let height):
      onStage(.decode, ImageFacts(format: format, storedWidth: width, storedHeight: height))
      let made = try PictureDecoder.sizes(
        forms, of: bytes, as: format, width: width, height: height, policy: request.policy)
      return DecoderMessage(
        kind: .answer, json: try DecoderJSON.encode(made.map(\.count)), first: made.flatMap { $0 })
    case .pixelDigest(let format):
      let digest = try PictureDecoder.pixelDigest(of: bytes, as: format)
      return DecoderMessage(kind: .answer, json: try DecoderJSON.encode(digest))
    case .raster(let format, let side):
      let raster = try PictureRaster.decode(
        bytes, format: format, side: side, decoders: nil)
      let facts = RasterFacts(width: raster.width, height: raster.height)
      return DecoderMessage(
        kind: .answer, json: try DecoderJSON.encode(facts), first: raster.rgb)
    }
  }
}
