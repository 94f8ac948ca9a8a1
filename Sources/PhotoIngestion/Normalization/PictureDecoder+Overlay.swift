import ImageContainers

/// Composes HEIC overlays. Each picture is decoded separately and laid on a canvas.
extension PictureDecoder {
  /// Decodes the pictures of an overlay one after another. Only one of them is in memory at a time.
  static func compose(
    _ overlay: HEICOverlay, policy: PhotoPolicy
  ) throws -> ComposedOverlay {
    let isOpaque = overlay.fill[3] == 255
    var canvas = LayeredCanvas(
      width: overlay.width, height: overlay.height,
      fill: isOpaque ? Array(overlay.fill.prefix(3)) : overlay.fill)
    for (index, place) in overlay.places.enumerated() {
      let (facts, clean) = try overlay.layer(index)
      let layer = try decode(clean, facts, policy: policy)
      layer.pixels.withUnsafeBufferPointer {
        canvas.lay(
          $0.baseAddress!, width: layer.width, height: layer.height, bands: layer.bands,
          left: place.left, top: place.top)
      }
    }
    return ComposedOverlay(canvas: canvas, steps: overlay.steps)
  }

  /// Returns a HEIC as sRGB pixels with three bytes, or four with alpha.
  private static func decode(
    _ clean: [UInt8], _ facts: ImageFacts, policy: PhotoPolicy
  ) throws -> (pixels: [UInt8], width: Int, height: Int, bands: Int) {
    let colors = NormalizationPlan(for: facts).colors
    if let streams = try HEICContainer.streams(in: clean, limits: policy.limits),
      let picture = try StreamedPicture(
        streams, in: clean, facts: facts, source: colors, policy: policy)
    {
      if let canvas = picture.opaque { return (canvas.pixels, canvas.width, canvas.height, 3) }
      return try picture.reading { upright in
        (try upright.pixels(), upright.width, upright.height, upright.bands)
      }
    }
    return try byVips(clean, as: .heic) { picture in
      let colored = try picture.inSRGB(from: colors).inMemory()
      let upright = try colored.upright(facts.orientationToApply)
      guard upright.bands == 3 || upright.bands == 4 else { throw PhotoError.fault(.layerBands) }
      return (try upright.pixels(), upright.width, upright.height, upright.bands)
    }
  }
}

/// A canvas with all its pictures, and the steps that remain to be applied to the whole.
struct ComposedOverlay {
  let canvas: LayeredCanvas
  let steps: [HEICOverlay.Step]

  /// Passes the picture to `body` as a person sees it.
  func reading<Result>(
    _ body: (borrowing VipsPicture) throws -> Result
  ) throws -> Result {
    try canvas.pixels.span.withUnsafeBytes { pixels in
      var picture = try VipsPicture.over(
        pixels, width: canvas.width, height: canvas.height, bands: canvas.bands)
      for step in steps {
        switch step {
        case .crop(let left, let top, let width, let height):
          picture = try picture.cropped(left: left, top: top, width: width, height: height)
        case .orient(let orientation): picture = try picture.upright(orientation)
        }
      }
      return try body(picture)
    }
  }
}
