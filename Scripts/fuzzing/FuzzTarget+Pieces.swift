/// Pictures that are taken apart before they are decoded: overlays of HEIC, animations of PNG.
extension FuzzTarget {
  /// Each layer of an overlay is a clean HEIC by itself.
  static func layers(_ clean: [UInt8], _ facts: ImageFacts) {
    guard let overlay = try? HEICContainer.overlay(in: clean, limits: .unbounded) else {
      promise("an overlay is one when it is clean", facts.layerPixels == 0)
      return
    }
    var pixels = 0
    for index in overlay.places.indices {
      guard let (facts, file) = try? overlay.layer(index) else {
        fatalError("broken promise: a layer of what was parsed can be parsed")
      }
      promise("a layer is clean", (try? ImageContainer.clean(file, as: .heic)) == file)
      promise("a layer is no overlay", facts.layerPixels == 0)
      pixels += facts.storedWidth * facts.storedHeight
    }
    promise("layers have the pixels that were counted", pixels == facts.layerPixels)
  }

  /// A decoder is given nothing that lies outside the file, and delivers the size that was told.
  static func streams(_ clean: [UInt8], _ facts: ImageFacts) {
    guard let found = try? HEICContainer.streams(in: clean, limits: .unbounded) else { return }
    for (number, picture) in [found.color, found.alpha].compactMap(\.self).enumerated() {
      let (crop, tiles) = (picture.crop, picture.tiles)
      promise(
        "units lie in the file",
        tiles.flatMap(\.units).allSatisfy { $0.upperBound <= clean.count })
      promise(
        "a crop lies on the canvas",
        crop.left >= 0 && crop.top >= 0 && crop.width > 0 && crop.height > 0
          && crop.left + crop.width <= picture.width && crop.top + crop.height <= picture.height)
      let rows = tiles.count / picture.columns
      promise(
        "tiles cover the canvas",
        rows * picture.columns == tiles.count
          && picture.columns * picture.tileWidth >= picture.width
          && rows * picture.tileHeight >= picture.height)
      let upright =
        picture.orientation >= 5 ? (crop.height, crop.width) : (crop.width, crop.height)
      // Alpha of another size is scaled to the picture.
      promise(
        "a picture has the size that was told",
        number > 0 || upright == (facts.storedWidth, facts.storedHeight))
    }
    promise("alpha was told", (found.alpha != nil) == facts.hasAlpha)
  }

  /// An animation put together again plays the same frames, upright or turned.
  static func frames(_ clean: [UInt8], _ facts: ImageFacts) {
    guard facts.loopCount != nil, let recoding = try? PNGRecoding(clean, limits: .unbounded) else {
      return
    }
    let pictures = (0..<recoding.count).map(recoding.picture)
    for orientation in 1...8 {
      // Pictures that are not turned fit where sides stay, and any that are square.
      guard let joined = try? recoding.joined(pictures, turnedFrom: orientation) else { continue }
      guard let parsed = try? ImageContainer.parse(joined, as: .png, limits: .unbounded) else {
        fatalError("broken promise: what is put together can be parsed")
      }
      promise(
        "the animation stays: \(facts) became \(parsed)",
        (parsed.frameCount, parsed.loopCount) == (facts.frameCount, facts.loopCount))
      promise("nothing else is there", parsed.parts.isEmpty && parsed.oddities.isEmpty)
    }
  }
}
