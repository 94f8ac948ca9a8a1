import ImageContainers

/// Stage 3: asks libvips for the header of the clean container; no pixel is decoded. A photo
/// is refused when that header differs from what the parser found, because then one of the two
/// readers sees something that the other does not.
enum Prober {
  static func check(
    _ facts: ImageFacts, clean: [UInt8], limits: ContainerLimits
  ) throws {
    if facts.layerPixels > 0, let overlay = try HEICContainer.overlay(in: clean, limits: limits) {
      // libvips opens no overlay, but what it is made of.
      for index in overlay.places.indices {
        let layer = try overlay.layer(index)
        try check(layer.facts, clean: layer.clean, limits: limits)
      }
      return
    }
    let seen = try VipsPicture.reading(clean, as: facts.format) { picture in
      (width: picture.width, height: picture.pageHeight, frames: picture.pageCount)
    }
    // libnsgif distrusts some screen sizes of GIFs (640×480 among them) and takes the first frame's
    // extent, where browsers take the screen; such a GIF is carried over all the same.
    let sizeAgrees = seen.width == facts.storedWidth && seen.height == facts.storedHeight
    guard sizeAgrees || facts.format == .gif else {
      throw PhotoError.corrupt(what: "size-disagrees")
    }
    // libvips shows one frame of an APNG.
    guard seen.frames == facts.frameCount || facts.format == .png else {
      throw PhotoError.corrupt(what: "frames-disagree")
    }
  }
}
