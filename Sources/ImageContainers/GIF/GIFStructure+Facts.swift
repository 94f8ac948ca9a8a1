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

  /// `true` if pixels can be transparent. That is possible with a transparent index, if the first frame doesn't cover
  /// the screen, and if a frame is restored to the background, which is transparent in browsers, and the next one
  /// doesn't cover the screen.
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
