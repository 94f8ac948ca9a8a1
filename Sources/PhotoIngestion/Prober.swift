import ImageContainers

/// Stage 3: compares the header that libvips reads from the clean container with the parser's facts. No pixel is
/// decoded. If the two differ, the photo is refused, because then one of the two readers sees something that the other
/// does not.
enum Prober {
  static func check(
    _ facts: ImageFacts, clean: [UInt8], limits: ContainerLimits
  ) throws {
    if facts.layerPixels > 0, let overlay = try HEICContainer.overlay(in: clean, limits: limits) {
      // libvips cannot open an overlay, so check its layers.
      for index in overlay.places.indices {
        let layer = try overlay.layer(index)
        try check(layer.facts, clean: layer.clean, limits: limits)
      }
      return
    }
    let seen = try VipsPicture.reading(clean, as: facts.format) { picture in
      (width: picture.width, height: picture.pageHeight, frames: picture.pageCount)
    }
    // libnsgif rejects some screen sizes of GIFs (640×480 among them) and uses the extent of the first frame, but
    // browsers use the screen size. Such a GIF is still carried over.
    let sizeAgrees = seen.width == facts.storedWidth && seen.height == facts.storedHeight
    guard sizeAgrees || facts.format == .gif else {
      throw PhotoError.corrupt(what: "size-disagrees")
    }
    // libvips sees only one frame of an APNG.
    guard seen.frames == facts.frameCount || facts.format == .png else {
      throw PhotoError.corrupt(what: "frames-disagree")
    }
  }
}
