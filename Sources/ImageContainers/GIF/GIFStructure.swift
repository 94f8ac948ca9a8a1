/// One picture of a GIF: an image descriptor, its data and the preceding control block.
struct GIFFrame {
  var left, top, width, height: Int
  var isTransparent = false
  var transparentIndex = 0
  /// The disposal after the frame's time, 0 to 3.
  var disposal = 0
  /// The delay in hundredths of a second.
  var delay = 0
  var isInterlaced = false
  /// The range of its own color table, empty without one.
  var palette: Range<Int>
  var codes: GIFImageData.Reading
  /// For each palette entry, the first one with the same color (see `GIFStructure.mergedEntries`). `nil` if all entries
  /// differ or the frame is never visible.
  var mergedEntries: [UInt8]?
}

extension GIFFrame {
  /// Returns the size of the part on the screen, or `nil` if the frame is completely outside.
  func shown(width: Int, height: Int) -> (width: Int, height: Int)? {
    guard left < width, top < height else { return nil }
    return (min(self.width, width - left), min(self.height, height - top))
  }
}

/// The positions of a GIF's screen, palettes and blocks, found in one pass (GIF89a specification, CompuServe 1990).
///
/// The size is the one that browsers and libnsgif show: the logical screen in pixels, enlarged to contain the first
/// frame. The number of pixels in a frame's data is determined by reading its LZW codes. A file whose first frame is
/// cut off is rejected, although decoders show the missing pixels as background. An animation that is cut off later
/// keeps its complete frames, and `losses` contains `frames`. If only bytes after the last pixel are missing, they are
/// added (`repairs`).
struct GIFStructure {
  /// The size of the screen in pixels, enlarged to contain the first frame.
  private(set) var width, height: Int
  private(set) var palette: Range<Int>
  /// The palette entry that some decoders paint outside of the frames. Browsers don't.
  let background: Int
  private(set) var frames: [GIFFrame] = []
  /// The number in the looping extension, if any.
  private(set) var loopValue: Int?
  private(set) var hasLocation = false
  /// `repairs` names the parts that are missing after the last pixel, `losses` what the animation has lost.
  private(set) var repairs: [String] = []
  private(set) var losses: [String] = []
  /// The number of frames in the file, including those that are left out.
  private(set) var fileFrameCount = 0

  private let bytes: [UInt8]
  private var found: [(offset: Int, part: ContainerPart)] = []
  private var pendingControl: GraphicControl?
  private var loop: (block: Range<Int>, origin: String)?
  /// The largest width and height that must be decoded for a frame.
  private var largestWidth = 0, largestHeight = 0

  var isAnimated: Bool { frames.count > 1 }
  /// The number of times that the animation plays, or 0 for endless. The extension counts repetitions after the first
  /// play. Without it, the animation plays once.
  var plays: Int {
    guard let loopValue else { return 1 }
    return loopValue == 0 ? 0 : loopValue + 1
  }
  /// The parts that decoding doesn't need, in file order.
  var parts: [ContainerPart] { found.sorted { $0.offset < $1.offset }.map(\.part) }

  /// A graphic control block for the next picture.
  private struct GraphicControl {
    var block: Range<Int>
    var payload: Range<Int>
  }

  /// Parses a file without decoding pixels.
  ///
  /// - Throws: `incomplete` if the file ends within the pixels of the first frame, `truncated` if it ends before them,
  ///   `malformed`, or `overLimit` for pixels, side and chunks (blocks).
  init(_ bytes: [UInt8], limits: ContainerLimits) throws(ContainerError) {
    self.bytes = bytes
    var reader = ByteReader(bytes)
    let signature = try reader.range(6, for: "gif-header")
    guard
      bytes[signature].elementsEqual("GIF87a".utf8)
        || bytes[signature].elementsEqual("GIF89a".utf8)
    else { throw .malformed("gif-signature", offset: 0) }
    width = try reader.little(2, "gif-screen")
    height = try reader.little(2, "gif-screen")
    let flags = try reader.u8("gif-screen")
    background = try reader.u8("gif-screen")
    try reader.skip(1, for: "gif-screen")
    palette = try reader.range(Self.paletteBytes(flags), for: "gif-palette")

    var imageData = GIFImageData()
    var blockCount = 0
    var hasTrailer = false
    while !hasTrailer, !reader.isAtEnd {
      let start = reader.offset
      blockCount += 1
      try limits.check(blockCount, .chunks, upTo: limits.chunks)
      do throws(ContainerError) {
        hasTrailer = try readBlock(&reader, imageData: &imageData, limits: limits)
      } catch {
        // The first frame is required. If a later one is damaged, the file is still usable.
        guard !frames.isEmpty else { throw error }
        reader.offset = start
        if Self.isFrame(bytes, at: start) { lose("frames") }
        break
      }
    }
    guard !frames.isEmpty else { throw .malformed("gif-no-frames", offset: reader.offset) }
    if !hasTrailer {
      // Frames are missing if a control block was read without a frame, or if the rest, which can't be read, contains a
      // control block. They are probably missing, too, if an animation is followed by more bytes than encoders leave.
      let rest = bytes[reader.offset...]
      if pendingControl != nil || Self.hasControl(rest)
        || isAnimated && rest.count(where: { $0 != 0 }) > 256
      {
        lose("frames")
      }
      repairs.append("gif-trailer")
    }
    recordRemoval(.trailing, reader.offset..<bytes.count, "after trailer")
    recordUnusedParts()
    // A first frame far to the right can exceed the 16 bits of the screen size.
    try limits.check(
      width: width, height: height, offset: 6, side: min(limits.side, Int(UInt16.max)))
  }

  /// Parses a block. Returns `true` if it is the trailer.
  private mutating func readBlock(
    _ reader: inout ByteReader, imageData: inout GIFImageData, limits: ContainerLimits
  ) throws(ContainerError) -> Bool {
    let start = reader.offset
    switch try reader.u8("gif-block") {
    case 0x2C: try readFrame(&reader, start: start, imageData: &imageData, limits: limits)
    case 0x21: try readExtension(&reader, start: start)
    case 0x3B: return true
    case 0:
      // Some encoders write additional terminators after a block, and browsers skip them.
      while !reader.isAtEnd, reader.bytes[reader.offset] == 0 { reader.offset += 1 }
      recordRemoval(.unknown, start..<reader.offset, "padding")
    // Browsers end the animation at an unknown block.
    default: throw .malformed("gif-block", offset: start)
    }
    return false
  }

  private mutating func lose(_ loss: String) {
    if losses.isEmpty { losses = [loss] }
  }

  /// Returns `true` if a block begins a frame: a picture, or the control block before one.
  private static func isFrame(_ bytes: [UInt8], at start: Int) -> Bool {
    bytes[start] == 0x2C || bytes[start] == 0x21 && bytes.dropFirst(start + 1).first == 0xF9
  }

  /// Returns `true` if these bytes contain the beginning of a control block.
  private static func hasControl(_ bytes: ArraySlice<UInt8>) -> Bool {
    zip(zip(bytes, bytes.dropFirst()), bytes.dropFirst(2)).contains { pair, third in
      pair.0 == 0x21 && pair.1 == 0xF9 && third == 4
    }
  }

  /// Skips the fixed part of a block that precedes its sub-blocks: the label of an extension, or the descriptor,
  /// palette and code size of a frame.
  private static func skipHead(
    _ reader: inout ByteReader, ofFrame isFrame: Bool
  ) throws(ContainerError) {
    guard isFrame else { return try reader.skip(1, for: "gif-extension") }
    try reader.skip(8, for: "gif-frame")
    try reader.skip(paletteBytes(try reader.u8("gif-frame")) + 1, for: "gif-frame")
  }

  private static func skipSubBlocks(_ reader: inout ByteReader) throws(ContainerError) {
    while case let count = try reader.u8("gif-sub-block"), count > 0 {
      try reader.skip(count, for: "gif-sub-block")
    }
  }

  private static func paletteBytes(_ flags: Int) -> Int {
    flags & 0x80 == 0 ? 0 : 3 * (2 << (flags & 7))
  }

  private mutating func recordRemoval(
    _ kind: ContainerPart.Kind, _ range: Range<Int>, _ origin: String
  ) {
    found += RemovedBytes.parts(of: range, in: bytes, as: kind, origin: origin).map {
      (range.lowerBound, $0)
    }
  }

  /// Adds an unused control block and the looping extension of a still picture to the parts.
  private mutating func recordUnusedParts() {
    if let control = pendingControl { recordRemoval(.unknown, control.block, "graphic control") }
    if !isAnimated, let loop { recordRemoval(.application, loop.block, loop.origin) }
  }
}

// MARK: - Frames

extension GIFStructure {
  private mutating func readFrame(
    _ reader: inout ByteReader, start: Int, imageData: inout GIFImageData,
    limits: ContainerLimits
  ) throws(ContainerError) {
    let left = try reader.little(2, "gif-frame")
    let top = try reader.little(2, "gif-frame")
    let frameWidth = try reader.little(2, "gif-frame")
    let frameHeight = try reader.little(2, "gif-frame")
    guard frameWidth > 0, frameHeight > 0 else {
      // A frame with an empty side isn't a frame.
      reader.offset = start + 1
      pendingControl = nil
      try Self.skipHead(&reader, ofFrame: true)
      try Self.skipSubBlocks(&reader)
      return recordRemoval(.unknown, start..<reader.offset, "empty frame")
    }
    fileFrameCount += 1
    guard allows(frameWidth, frameHeight, limits) else {
      // An animation that exceeds the limits keeps only its first frame. The other frames are only counted.
      reader.offset = start + 1
      frames.removeSubrange(1...)
      losses = ["animation"]
      pendingControl = nil
      try Self.skipHead(&reader, ofFrame: true)
      return try Self.skipSubBlocks(&reader)
    }
    if frames.isEmpty {
      try limits.check(width: frameWidth, height: frameHeight, offset: start)
    }
    let flags = try reader.u8("gif-frame")
    let palette = try reader.range(Self.paletteBytes(flags), for: "gif-local-palette")
    if frames.isEmpty {
      // A screen with an empty side is ignored, as in libnsgif.
      if width == 0 || height == 0 {
        width = 0
        height = 0
      }
      width = max(width, left + frameWidth)
      height = max(height, top + frameHeight)
    }
    let isInterlaced = flags & 0x40 != 0
    var frame = GIFFrame(
      left: left, top: top, width: frameWidth, height: frameHeight,
      isInterlaced: isInterlaced, palette: palette,
      codes: try imageData.parse(
        &reader, pixels: frameWidth * frameHeight, isInterlaced: isInterlaced))
    if let control = pendingControl {
      let payload = reader.bytes[control.payload]
      let flags = Int(payload[payload.startIndex])
      frame.isTransparent = flags & 1 != 0
      frame.transparentIndex = frame.isTransparent ? Int(payload[payload.endIndex - 1]) : 0
      // Browsers treat the undefined value 4 as 3, and 5 to 7 as 0.
      frame.disposal = [0, 1, 2, 3, 3, 0, 0, 0][flags >> 2 & 7]
      frame.delay = Int(payload[payload.startIndex + 1]) | Int(payload[payload.startIndex + 2]) << 8
      recordRemoval(.unknown, control.block.dropFirst(Self.controlBytes), "graphic control")
      pendingControl = nil
    }
    let part = frame.shown(width: width, height: height)
    // The frame is never visible. A transparent pixel takes its place for its duration.
    if part == nil { frame.isTransparent = true }
    frame.mergedEntries = part == nil ? nil : mergedEntries(of: frame, in: reader.bytes)
    frames.append(frame)
    if frame.codes.lacksEnd { repairs.append("gif-image-end") }
    recordRemoval(.trailing, frame.codes.end..<frame.codes.subBlocks.upperBound, "image data")
  }

  /// Returns `true` if the animation may have another frame of this size in pixels.
  private mutating func allows(_ width: Int, _ height: Int, _ limits: ContainerLimits) -> Bool {
    guard !frames.isEmpty else { return true }
    // Parts outside the screen are decoded before the frame is cropped.
    largestWidth = max(largestWidth, self.width, width)
    largestHeight = max(largestHeight, self.height, height)
    return losses.isEmpty
      && limits.allow(
        frames: frames.count + 1, width: largestWidth, height: largestHeight)
  }
}

extension GIFStructure {
  /// Returns for each palette entry the first used one with the same color in this frame. The choice between equal
  /// entries is invisible and could hide data, so the cleaned file only uses the first one. Indices beyond the table
  /// are all treated as one color. Returns `nil` if all entries differ.
  private func mergedEntries(of frame: GIFFrame, in bytes: [UInt8]) -> [UInt8]? {
    let table = frame.palette.isEmpty ? palette : frame.palette
    guard !table.isEmpty else { return nil }
    var entries = [UInt8](0...255)
    var first: [Int: UInt8] = [:]
    var areMerged = false
    for index in 0..<256
    where frame.codes.used.contains(index)
      && !(frame.isTransparent && index == frame.transparentIndex)
    {
      let start = table.lowerBound + index * 3
      let color =
        start < table.upperBound ? bytes[start..<start + 3].reduce(0) { $0 << 8 | Int($1) } : -1
      entries[index] = first[color] ?? UInt8(index)
      first[color] = entries[index]
      if Int(entries[index]) != index { areMerged = true }
    }
    return areMerged ? entries : nil
  }
}

// MARK: - Extensions

extension GIFStructure {
  /// The size of a kept graphic control block in bytes.
  private static var controlBytes: Int { 8 }
  /// The size of a kept looping extension in bytes.
  private static var loopBytes: Int { 19 }

  private mutating func readExtension(
    _ reader: inout ByteReader, start: Int
  ) throws(ContainerError) {
    let label = try reader.u8("gif-extension")
    let first = reader.offset
    try Self.skipSubBlocks(&reader)
    let bytes = reader.bytes
    let block = start..<reader.offset
    let firstCount = Int(bytes[first])
    switch label {
    case 0xF9 where firstCount >= 4:
      // The last control block before a picture counts. Browsers also apply it across text blocks.
      if let control = pendingControl { recordRemoval(.unknown, control.block, "graphic control") }
      pendingControl = GraphicControl(block: block, payload: first + 1..<first + 5)
    case 0xFF where firstCount >= 11:
      readApplication(bytes, block: block, name: first + 1..<first + 12)
    case 0xFE: recordRemoval(.comment, block, "comment")
    case 0x01: recordRemoval(.text, block, "plain text")
    default: recordRemoval(.unknown, block, "extension")
    }
  }

  private mutating func readApplication(_ bytes: [UInt8], block: Range<Int>, name: Range<Int>) {
    let identifier = String(
      decoding: bytes[name].map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
      as: UTF8.self)
    let data = name.upperBound
    switch identifier {
    case "NETSCAPE2.0", "ANIMEXTS1.0":
      guard block.upperBound - data >= 5, bytes[data] == 3, bytes[data + 1] == 1 else {
        return recordRemoval(.application, block, identifier)
      }
      // The last one counts, as in browsers and libnsgif.
      if let loop { recordRemoval(.application, loop.block, loop.origin) }
      loopValue = Int(bytes[data + 2]) | Int(bytes[data + 3]) << 8
      loop = (block.prefix(Self.loopBytes), identifier)
      recordRemoval(.application, block.dropFirst(Self.loopBytes), identifier)
    case "XMP DataXMP":
      readXMP(bytes, in: data..<block.upperBound)
      recordRemoval(.xmp, block, identifier)
    case "C2PA_GIF???": recordRemoval(.contentCredentials, block, identifier)
    case "ICCRGBG1012": recordRemoval(.colorProfile, block, identifier)
    case "MGKIPTC0000", "MGK8BIM0000": recordRemoval(.iptc, block, identifier)
    default: recordRemoval(.application, block, identifier)
    }
  }

  /// Reads XMP. It is stored in the block as plain text, with a trailer that leads readers of sub-blocks to the end
  /// (XMP specification part 3, 1.1.2). Some writers split it into sub-blocks instead.
  private mutating func readXMP(_ bytes: [UInt8], in range: Range<Int>) {
    var payload: [UInt8] = []
    payload.reserveCapacity(range.count)
    var position = range.lowerBound
    while position < range.upperBound, bytes[position] != 0 {
      let next = min(position + 1 + Int(bytes[position]), range.upperBound)
      payload += bytes[position + 1..<next]
      position = next
    }
    if XMP.parse(bytes, in: range).hasLocation
      || XMP.parse(payload, in: 0..<payload.count).hasLocation
    {
      hasLocation = true
    }
  }
}
