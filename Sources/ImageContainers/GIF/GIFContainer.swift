/// The GIF container: a screen, palettes and blocks (GIF89a specification, CompuServe 1990).
public enum GIFContainer {
  /// Walks the whole file and tells what it found, decoding no pixel.
  ///
  /// The size is the one that browsers and libnsgif show: the logical screen in pixels, grown to
  /// hold the first frame. The LZW codes of every frame are counted, so a frame whose data ends
  /// early is refused although decoders show the rest of it as background.
  ///
  /// - Throws: `truncated` when the file ends early (a still picture may lack its trailer),
  ///   `malformed`, or `overLimit` for pixels, side, frames, frame-pixels and chunks (blocks).
  public static func walk(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    try GIFStructure(bytes, limits: limits).facts(of: bytes)
  }

  /// Rewrites the file as screen, palettes, one looping extension when it is animated, control
  /// blocks and frames; palettes and LZW data are copied bit for bit.
  ///
  /// - Throws: as `walk`.
  public static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    try GIFStructure(bytes, limits: limits).cleaned(bytes)
  }
}

extension GIFStructure {
  func facts(of bytes: [UInt8]) -> ImageFacts {
    var facts = ImageFacts(format: .gif, storedWidth: width, storedHeight: height)
    facts.frameCount = frames.count
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

  func cleaned(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    let hasExtension = isAnimated && loopValue != nil || frames.contains { $0.control != nil }
    output += hasExtension ? Array("GIF89a".utf8) : Array(bytes[0..<6])
    output += [width, height].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8 & 0xFF)] }
    output += bytes[10..<13]
    output += bytes[palette]
    if isAnimated, let loopValue {
      output += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8)
      output += [3, 1, UInt8(loopValue & 0xFF), UInt8(loopValue >> 8), 0]
    }
    for frame in frames {
      if let control = frame.control {
        output += [0x21, 0xF9, 4]
        output += bytes[control]
        output.append(0)
      }
      output += bytes[frame.image]
      output.append(0)
    }
    output.append(0x3B)
    return output
  }
}
