extension WebPStructure {
  func facts(of bytes: [UInt8]) -> ImageFacts {
    var facts = ImageFacts(format: .webp, storedWidth: width, storedHeight: height)
    facts.frameCount = frames.count
    if fileFrameCount > frames.count { facts.fileFrameCount = fileFrameCount }
    facts.repairs = repairs
    facts.losses = losses
    facts.loopCount = frames.count > 1 ? loopCount : nil
    facts.hasAlpha = hasAlpha
    facts.chromaSubsampled = frames.contains { !$0.isLossless }
    if let profile, !profile.isEmpty { facts.colorTag = .profile(Array(bytes[profile])) }
    if let exifRange { facts.exif = EXIF.parse(bytes, in: exifRange) }
    facts.orientation = facts.exif?.orientation ?? 1
    facts.hasLocation = metadata.contains { chunk in
      switch chunk.tag {
      case .exif: EXIF.parse(bytes, in: chunk.payload)?.hasGPS ?? false
      case .xmp: XMP.parse(bytes, in: chunk.payload).hasLocation
      default: false
      }
    }
    facts.parts = parts
    return facts
  }

  /// `true` if pixels can be transparent. That is possible with a frame's own alpha, if the first frame doesn't cover
  /// the canvas, and if a frame is disposed of and the next one doesn't cover the canvas (browsers use a transparent
  /// background).
  private var hasAlpha: Bool {
    func covers(_ frame: WebPFrame) -> Bool { frame.width == width && frame.height == height }
    if !covers(frames[0]) || frames.contains(where: \.hasAlpha) { return true }
    return zip(frames, frames.dropFirst()).contains { $0.isDisposed && !covers($1) }
  }

  /// Returns the file in its simplest form: a single VP8 or VP8L chunk, VP8X with ALPH and VP8, or VP8X with ANIM and
  /// frames. Flags, sizes and padding are written again, fields that decoders ignore become zero, and tokens are copied
  /// unchanged.
  ///
  /// - Parameter readingData: `true` to read VP8 data to its end and cut the bytes after it.
  func cleaned(_ bytes: [UInt8], readingData: Bool) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + 8)
    output += "RIFF".utf8
    output += [0, 0, 0, 0]
    output += "WEBP".utf8
    if let animation {
      output.append(canvasChunk(animated: true))
      // The background color is zero because decoders ignore it.
      output.append(.anim, [0, 0, 0, 0] + bytes[animation].suffix(2))
      for frame in frames { output.append(frame, of: bytes, readingData) }
    } else {
      let frame = frames[0]
      if frame.alpha != nil { output.append(canvasChunk(animated: false)) }
      output.appendPicture(of: frame, from: bytes, readingData)
    }
    output.putSize(of: 0..<output.count, at: 4)
    return output
  }

  /// Returns the VP8X chunk without the flags of ICC, EXIF and XMP (RFC 9649, 2.7).
  private func canvasChunk(animated: Bool) -> [UInt8] {
    var chunk = Array("VP8X".utf8) + [10, 0, 0, 0]
    let alpha = announcesAlpha || frames.contains(where: \.hasAlpha)
    chunk += [(alpha ? 0x10 : 0) | (animated ? 0x02 : 0), 0, 0, 0]
    for side in [width - 1, height - 1] {
      chunk += [UInt8(side & 0xFF), UInt8(side >> 8 & 0xFF), UInt8(side >> 16 & 0xFF)]
    }
    return chunk
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ chunk: [UInt8]) { self += chunk }

  /// Appends a chunk with its header, padded to an even number of bytes.
  fileprivate mutating func append(_ tag: WebPTag, _ payload: ArraySlice<UInt8>) {
    let start = count
    self += tag.rawValue.utf8
    self += [0, 0, 0, 0]
    self += payload
    putSize(of: start..<count, at: start + 4)
    if !count.isMultiple(of: 2) { append(0) }
  }

  /// Appends an ANMF chunk: the frame's position and duration, then its picture.
  fileprivate mutating func append(_ frame: WebPFrame, of bytes: [UInt8], _ readingData: Bool) {
    guard let header = frame.header else { return }
    let start = count
    self += WebPTag.anmf.rawValue.utf8
    self += [0, 0, 0, 0]
    self += bytes[header]
    // In the last byte, only the bits for disposal and blending have a meaning.
    self[count - 1] &= 0x03
    appendPicture(of: frame, from: bytes, readingData)
    putSize(of: start..<count, at: start + 4)
  }

  fileprivate mutating func appendPicture(
    of frame: WebPFrame, from bytes: [UInt8], _ readingData: Bool
  ) {
    if let alpha = frame.alpha {
      let isRaw = bytes[alpha.lowerBound] & 3 == 0
      let start = count + 8
      append(.alph, isRaw ? bytes[alpha].prefix(1 + frame.width * frame.height) : bytes[alpha])
      // Clears the encoder's preprocessing hint and two reserved bits, which decoders ignore.
      self[start] &= 0x0F
    }
    guard !frame.isLossless else { return append(.vp8l, bytes[frame.image]) }
    if readingData, let data = VP8Frame.cleaned(bytes[frame.image]) {
      return append(.vp8, data[...])
    }
    let start = count + 8
    append(.vp8, bytes[frame.image])
    // Clears the version, which doesn't affect key frames, and the scaling bits, which decoders ignore.
    self[start] &= ~0x0E
    self[start + 7] &= 0x3F
    self[start + 9] &= 0x3F
  }

  /// Writes the size of a chunk, without its header, into its header.
  fileprivate mutating func putSize(of chunk: Range<Int>, at offset: Int) {
    let size = UInt32(truncatingIfNeeded: chunk.count - 8)
    for index in 0..<4 { self[offset + index] = UInt8(size >> UInt32(8 * index) & 0xFF) }
  }
}
