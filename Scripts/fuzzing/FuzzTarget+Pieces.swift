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
        fatalError("broken promise: a layer of what was walked can be walked")
      }
      promise("a layer is clean", (try? HEICContainer.clean(file)) == file)
      promise("a layer is no overlay", facts.layerPixels == 0)
      pixels += facts.storedWidth * facts.storedHeight
    }
    promise("layers have the pixels that were counted", pixels == facts.layerPixels)
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
      guard let walked = try? PNGContainer.walk(joined, limits: .unbounded) else {
        fatalError("broken promise: what is put together can be walked")
      }
      promise(
        "the animation stays: \(facts) became \(walked)",
        (walked.frameCount, walked.loopCount) == (facts.frameCount, facts.loopCount))
      promise("nothing else is there", walked.parts.isEmpty && walked.oddities.isEmpty)
    }
  }
}
