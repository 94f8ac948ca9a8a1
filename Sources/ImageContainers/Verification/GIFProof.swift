/// Verifies each byte of a GIF: its blocks in the only order that the cleaner writes, the codes of each frame up to the
/// end code, and each entry of a color table.
struct GIFProof {
  private var reader: ByteReader
  private var codes = GIFImageData()
  private var width = 0
  private var height = 0
  private var frameCount = 0
  private var globalTable = 0..<0
  private var background = 0
  /// The entries of the global table that visible pixels use.
  private var globalUse = GIFIndices()
  /// `true` if the first frame doesn't cover the screen, or a frame is removed. Decoders other than browsers paint the
  /// background there.
  private var showsBackground = false

  static func verify(_ bytes: [UInt8]) throws(ProofError) -> VerifiedPicture {
    var proof = GIFProof(reader: ByteReader(bytes))
    do throws(ContainerError) {
      try proof.readPicture()
    } catch {
      switch error {
      case .malformed(let problem, let offset): throw ProofError(problem, offset: offset)
      default: throw ProofError("gif-end", offset: proof.reader.offset)
      }
    }
    return VerifiedPicture(
      width: proof.width, height: proof.height, frameCount: proof.frameCount)
  }

  private init(reader: ByteReader) { self.reader = reader }

  private func demand(
    _ problem: String, at offset: Int? = nil, _ isSo: Bool
  ) throws(ContainerError) {
    guard isSo else { throw .malformed("gif-\(problem)", offset: offset ?? reader.offset) }
  }

  private mutating func readPicture() throws(ContainerError) {
    let signature = try reader.range(6, for: "signature")
    let isOld = reader.bytes[signature].elementsEqual("GIF87a".utf8)
    try demand(
      "signature", at: 0, isOld || reader.bytes[signature].elementsEqual("GIF89a".utf8))
    width = try reader.little(2, "screen")
    height = try reader.little(2, "screen")
    try demand("screen", at: 6, width > 0 && height > 0)
    let flags = try reader.u8("flags")
    // Decoders ignore the color depth of the original and the sort flag of the table.
    try demand("flags", at: 10, flags & 0x78 == 0 && (flags & 0x80 != 0 || flags == 0))
    background = try reader.u8("background")
    try demand("aspect", try reader.u8("aspect") == 0)
    globalTable = try table(flags)

    let loopStart = reader.offset
    let hasLoop = try readLoop()
    while try readFrame(mayHaveControl: !isOld) {}
    try demand("trailer", try reader.u8("trailer") == 0x3B)
    try demand("trailing", reader.isAtEnd)
    try demand("no-frames", frameCount > 0)
    try demand("loop", at: loopStart, !hasLoop || frameCount > 1 && !isOld)
    if frameCount == 1, let control = firstControl {
      // No frame follows a still picture, so only the transparent color can have an effect.
      try demand("control", at: control, isIdleButForTransparency(control))
    }

    let backgroundShows =
      showsBackground && background < globalTable.count / 3
    try demand("background", at: 11, backgroundShows || background == 0)
    if backgroundShows { globalUse.insert(background) }
    try demand(
      "unused-table", at: globalTable.lowerBound, globalTable.isEmpty || !globalUse.isEmpty)
    try checkEntries(globalTable, use: globalUse)
  }

  private var firstControl: Int?

  private func isIdleButForTransparency(_ control: Int) -> Bool {
    reader.bytes[control] == 1 && reader.bytes[control + 1] == 0 && reader.bytes[control + 2] == 0
  }

  private mutating func table(_ flags: Int) throws(ContainerError) -> Range<Int> {
    try reader.range(flags & 0x80 == 0 ? 0 : 6 << (flags & 7), for: "table")
  }

  /// Checks that unused entries are black.
  private func checkEntries(_ table: Range<Int>, use: GIFIndices) throws(ContainerError) {
    for (index, start) in stride(from: table.lowerBound, to: table.upperBound, by: 3).enumerated()
    where !use.contains(index) {
      try demand(
        "unused-entry", at: start, reader.bytes[start..<start + 3].allSatisfy { $0 == 0 })
    }
  }

  /// Checks that no two used entries have the same color, because the choice between them could hide data. All indices
  /// beyond the table count as one color.
  private func checkTwins(
    _ table: Range<Int>, use: GIFIndices, at frame: Int
  ) throws(ContainerError) {
    guard !table.isEmpty else { return }
    var shown = Set<Int>()
    for index in 0..<256 where use.contains(index) {
      let start = table.lowerBound + index * 3
      let color =
        start < table.upperBound
        ? reader.bytes[start..<start + 3].reduce(0) { $0 << 8 | Int($1) } : -1
      try demand("twin-entry", at: frame, shown.insert(color).inserted)
    }
  }

  /// Reads the looping extension in NETSCAPE's form. Returns `false` if it is missing.
  private mutating func readLoop() throws(ContainerError) -> Bool {
    let extensionBytes: [UInt8] = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1]
    guard reader.bytes[reader.offset..<reader.end].starts(with: extensionBytes) else {
      return false
    }
    try reader.skip(extensionBytes.count + 2, for: "loop")
    try demand("loop", try reader.u8("loop") == 0)
    return true
  }

  /// Reads a frame with its optional control block. Returns `false` at the trailer.
  private mutating func readFrame(mayHaveControl: Bool) throws(ContainerError) -> Bool {
    var isTransparent = false
    var transparentIndex = 0
    var disposal = 0
    if !reader.isAtEnd, reader.bytes[reader.offset] == 0x21 {
      let start = reader.offset
      let head = try reader.little(3, "control")
      try demand("block", at: start, head == 0x04F921 && mayHaveControl)
      let flags = try reader.u8("control")
      let delay = try reader.little(2, "control")
      transparentIndex = try reader.u8("control")
      try demand("control", try reader.u8("control") == 0)
      isTransparent = flags & 1 != 0
      disposal = flags >> 2
      try demand("control", at: start, flags & 2 == 0 && disposal <= 3)
      try demand("control", at: start, flags != 0 || delay != 0)
      try demand("transparent-index", at: start, isTransparent || transparentIndex == 0)
      if frameCount == 0 { firstControl = start + 3 }
    } else if !reader.isAtEnd, reader.bytes[reader.offset] == 0x3B {
      return false
    }
    let start = reader.offset
    try demand("block", at: start, try reader.u8("frame") == 0x2C)
    let left = try reader.little(2, "frame")
    let top = try reader.little(2, "frame")
    let frameWidth = try reader.little(2, "frame")
    let frameHeight = try reader.little(2, "frame")
    try demand(
      "outside", at: start,
      frameWidth > 0 && frameHeight > 0 && left + frameWidth <= width
        && top + frameHeight <= height)
    let flags = try reader.u8("frame")
    try demand(
      "flags", at: reader.offset - 1, flags & 0x38 == 0 && (flags & 0x80 != 0 || flags & 7 == 0))
    let localTable = try table(flags)
    let reading = try codes.parse(
      &reader, pixels: frameWidth * frameHeight, isInterlaced: flags & 0x40 != 0)
    try demand("codes", at: start, reading.isPlain)
    // All blocks except the last are full, so their sizes can't hide data. The bits after the end code are zero.
    try demand(
      "unread-data", at: reading.end,
      !reading.lacksEnd && reading.isInFullBlocks(reader.bytes)
        && reader.bytes[reading.end - 1] & ~reading.lastMask == 0)

    // If no pixel is transparent, the index must be the first unused one, so that it can't hide data.
    var use = reading.used
    if isTransparent, !use.contains(transparentIndex) {
      try demand("transparent-index", at: start, use.firstMissing == transparentIndex)
    }
    if isTransparent { use.remove(transparentIndex) }
    try checkTwins(flags & 0x80 != 0 ? localTable : globalTable, use: use, at: start)
    if flags & 0x80 != 0 {
      try checkEntries(localTable, use: use)
    } else {
      globalUse.formUnion(use)
    }
    if disposal == 2 && !isTransparent
      || frameCount == 0 && (frameWidth < width || frameHeight < height)
    {
      showsBackground = true
    }
    frameCount += 1
    return true
  }
}
