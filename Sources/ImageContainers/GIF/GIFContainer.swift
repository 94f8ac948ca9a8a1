/// The GIF container: a screen, palettes and blocks (GIF89a specification, CompuServe 1990).
package enum GIFContainer {
  /// Parses the whole file and returns what it contains, without decoding pixels.
  ///
  /// The size is the one that browsers and libnsgif show: the logical screen in pixels, grown to
  /// hold the first frame. The LZW codes of every frame are counted: a picture whose data ends early is
  /// refused although decoders show the rest of it as background; of an animation the frames before it
  /// stay, with the loss `frames`. What is missing behind the last pixel is a repair.
  ///
  /// - Throws: `incomplete` when pixels of the first frame are missing, `truncated` before it, `malformed`,
  ///   or `overLimit` for pixels, side and chunks (blocks).
  package static func parse(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    try GIFStructure(bytes, limits: limits).facts(of: bytes)
  }

  /// Rewrites the file as screen, palettes, one looping extension when it is animated, control
  /// blocks and frames. The LZW codes are copied bit for bit, but for frames that reach over the
  /// screen's border, whose codes hold more than pixels, or whose entries show the same color: they are
  /// coded again without loss. Palette
  /// entries that no pixel shows become black, and what no decoder looks at becomes zero.
  ///
  /// - Throws: as `parse`.
  package static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    try GIFStructure(bytes, limits: limits).cleaned(bytes)
  }
}

extension GIFStructure {
  func facts(of bytes: [UInt8]) -> ImageFacts {
    var facts = ImageFacts(format: .gif, storedWidth: width, storedHeight: height)
    facts.frameCount = frames.count
    if fileFrameCount > frames.count { facts.fileFrameCount = fileFrameCount }
    facts.repairs = repairs
    facts.losses = losses
    facts.loopCount = isAnimated ? plays : nil
    facts.colorModel = .palette
    facts.hasAlpha = hasAlpha
    facts.hasLocation = hasLocation
    facts.parts = parts
    return facts
  }

  /// A pixel can be transparent by a frame's transparent index, where the first frame leaves the
  /// screen bare, and where a frame is disposed of to the background (which browsers take as
  /// transparent) and the next one does not cover the screen.
  private var hasAlpha: Bool {
    func covers(_ frame: GIFFrame) -> Bool {
      frame.left == 0 && frame.top == 0 && frame.width >= width && frame.height >= height
    }
    if !covers(frames[0]) || frames.contains(where: \.isTransparent) { return true }
    return zip(frames, frames.dropFirst()).contains { frame, next in
      frame.disposal == 2 && !covers(next)
    }
  }
}
