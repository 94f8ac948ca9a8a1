/// Verifies each byte of a PNG or APNG: its chunks in the only order that the cleaner writes, the zlib stream of each
/// frame up to its last bit, and each row, palette entry and transparent color. Fully transparent pixels must have no
/// color, and a picture that isn't a frame of the animation must be zero.
enum PNGProof {
  static func verify(_ bytes: [UInt8]) throws(ProofError) -> VerifiedPicture {
    try verify(bytes, reducedTo: nil)
  }

  /// Verifies a file and can also reduce its picture.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - side: if given, the result includes a reduced picture, unless the file is interlaced or animated. It is scaled
  ///     down by the largest integer that leaves at least this many pixels along the longer side.
  static func verify(
    _ bytes: [UInt8], reducedTo side: Int?
  ) throws(ProofError) -> VerifiedPicture {
    var chunks = try PNGProofChunks(bytes)
    var form = try form(try chunks.demand("IHDR", count: 13), chunks)
    var verified = VerifiedPicture(width: form.width, height: form.height)
    if let intent = try chunks.takeChunk("sRGB"), intent.count != 1 || bytes[intent.lowerBound] > 3
    {
      throw ProofError("png-srgb", offset: intent.lowerBound)
    }
    let control = try chunks.takeChunk("acTL")
    let palette = form.colorType == 3 ? try chunks.demand("PLTE") : 0..<0
    let transparency = try chunks.takeChunk("tRNS") ?? 0..<0
    form.palette = [UInt8](bytes[palette])
    form.transparency = [UInt8](bytes[transparency])
    try check(form, palette: palette, transparency: transparency)

    var use = PNGProofUse()
    guard let control else {
      let averages =
        form.isInterlaced ? nil : side.map { PNGProofAverages(form: form, side: $0) }
      verified.reduced = try readStream(
        bytes, data: try chunks.demand("IDAT"), form: form, averages: averages, use: &use)
      try finish(&chunks, form: form, use: use, palette: palette, transparency: transparency)
      return verified
    }
    guard control.count == 8 else { throw ProofError("png-actl", offset: control.lowerBound) }
    verified.frameCount = chunks.number(at: control.lowerBound)
    var sequence = 0
    let startsWithDefault = chunks.next == "fcTL"
    if startsWithDefault {
      let frame = try frame(&chunks, of: form, sequence: &sequence)
      guard frame.width == form.width, frame.height == form.height else {
        throw ProofError("png-fctl", offset: chunks.data.lowerBound)
      }
    }
    _ = try readStream(
      bytes, data: try chunks.demand("IDAT"), form: form, averages: nil,
      isBlank: !startsWithDefault, use: &use)
    let later = verified.frameCount - (startsWithDefault ? 1 : 0)
    // A single frame that is the picture itself is not an animation.
    guard later > 0 else { throw ProofError("png-actl", offset: control.lowerBound) }
    for _ in 0..<later {
      let frame = try frame(&chunks, of: form, sequence: &sequence)
      let data = try chunks.demand("fdAT")
      guard data.count > 4, chunks.number(at: data.lowerBound) == sequence else {
        throw ProofError("png-sequence", offset: data.lowerBound)
      }
      sequence += 1
      _ = try readStream(
        bytes, data: data.lowerBound + 4..<data.upperBound, form: frame, averages: nil, use: &use)
    }
    try finish(&chunks, form: form, use: use, palette: palette, transparency: transparency)
    return verified
  }

  /// Returns the size of the reduced picture, or `nil` for an animated or interlaced one, which isn't reduced.
  static func reducedSize(of bytes: [UInt8], side: Int) -> (width: Int, height: Int)? {
    // Only passes the signature and IHDR, which avoids the checksum of the data.
    guard var chunks = try? PNGProofChunks(Array(bytes.prefix(33))),
      let header = try? chunks.demand("IHDR", count: 13), let form = try? form(header, chunks),
      !form.isInterlaced
    else { return nil }
    func type(at offset: Int) -> String {
      String(decoding: bytes.dropFirst(offset).prefix(4), as: UTF8.self)
    }
    guard type(at: type(at: 37) == "sRGB" ? 50 : 37) != "acTL" else { return nil }
    let factor = BlockAverages.factor(width: form.width, height: form.height, side: side)
    return ((form.width + factor - 1) / factor, (form.height + factor - 1) / factor)
  }

  private static func form(
    _ header: Range<Int>, _ chunks: PNGProofChunks
  ) throws(ProofError) -> PNGProofForm {
    let start = header.lowerBound
    let form = PNGProofForm(
      width: chunks.number(at: start), height: chunks.number(at: start + 4),
      bitDepth: chunks.number(at: start + 8, count: 1),
      colorType: chunks.number(at: start + 9, count: 1),
      isInterlaced: chunks.number(at: start + 12, count: 1) == 1)
    // Compression and filter method have one valid value, interlacing has two. 16 bits are never stored.
    let depths = [0: [1, 2, 4, 8], 2: [8], 3: [1, 2, 4, 8], 4: [8], 6: [8]]
    guard depths[form.colorType]?.contains(form.bitDepth) == true, form.width > 0, form.height > 0,
      form.width <= 1 << 24, form.height <= 1 << 24,
      chunks.number(at: start + 10, count: 3) <= 1
    else { throw ProofError("png-header", offset: start) }
    return form
  }

  /// Checks palette and transparency as far as possible without the pixels.
  private static func check(
    _ form: PNGProofForm, palette: Range<Int>, transparency: Range<Int>
  ) throws(ProofError) {
    if form.colorType == 3 {
      guard form.palette.count % 3 == 0, (3...768).contains(form.palette.count) else {
        throw ProofError("png-palette", offset: palette.lowerBound)
      }
      guard transparency.count <= palette.count / 3, form.transparency.last != 255 else {
        throw ProofError("png-transparency", offset: transparency.lowerBound)
      }
    } else if !transparency.isEmpty {
      let high = stride(from: 0, to: form.transparency.count, by: 2)
      guard form.colorType & 4 == 0, transparency.count == form.channels * 2,
        high.allSatisfy({
          form.transparency[$0] == 0 && Int(form.transparency[$0 + 1]) >> form.bitDepth == 0
        })
      else { throw ProofError("png-transparency", offset: transparency.lowerBound) }
    }
  }

  /// Reads a frame control chunk. The frame must be on the canvas, and all values must be valid.
  private static func frame(
    _ chunks: inout PNGProofChunks, of form: PNGProofForm, sequence: inout Int
  ) throws(ProofError) -> PNGProofForm {
    let data = try chunks.demand("fcTL", count: 26)
    let numbers = (0..<5).map { chunks.number(at: data.lowerBound + $0 * 4) }
    var frame = form
    frame.width = numbers[1]
    frame.height = numbers[2]
    guard numbers[0] == sequence, frame.width > 0, frame.height > 0,
      numbers[3] + frame.width <= form.width, numbers[4] + frame.height <= form.height,
      chunks.number(at: data.lowerBound + 24, count: 1) <= 2,
      chunks.number(at: data.lowerBound + 25, count: 1) <= 1
    else { throw ProofError("png-fctl", offset: data.lowerBound) }
    sequence += 1
    return frame
  }

  /// Reads a picture's zlib stream, which must end with its last row.
  private static func readStream(
    _ bytes: [UInt8], data: Range<Int>, form: PNGProofForm, averages: PNGProofAverages?,
    isBlank: Bool = false, use: inout PNGProofUse
  ) throws(ProofError) -> ReducedPicture? {
    // A byte of deflate data yields at most 1032 bytes, because two bits can encode 258 bytes. A stream that is too
    // short for the rows is rejected before memory is allocated.
    let size = form.passes.reduce(0) { $0 + (form.rowBytes(width: $1.width) + 1) * $1.height }
    guard size <= data.count * 1_032 else {
      throw ProofError("png-missing-rows", offset: data.upperBound)
    }
    var rows = PNGProofRows(form: form, use: use, averages: averages, isBlank: isBlank)
    defer { use = rows.use }
    return try bytes.withUnsafeBufferPointer { bytes throws(ProofError) in
      let inflate = try PNGProofInflate(
        bytes, in: data, piece: form.rowBytes(width: form.width) + 1)
      var consumed = 0
      for pass in form.passes {
        rows.startPass(width: pass.width)
        let rowBytes = form.rowBytes(width: pass.width) + 1
        for _ in 0..<pass.height {
          if inflate.count - consumed < rowBytes {
            guard !inflate.isAtEnd else {
              throw ProofError("png-missing-rows", offset: data.upperBound)
            }
            consumed -= try inflate.inflate(consumed: consumed)
            guard inflate.count - consumed >= rowBytes else {
              throw ProofError("png-missing-rows", offset: data.upperBound)
            }
          }
          if let problem = rows.processRow(inflate.output + consumed) {
            throw ProofError(problem, offset: data.lowerBound)
          }
          consumed += rowBytes
        }
      }
      if !inflate.isAtEnd, inflate.count == consumed {
        consumed -= try inflate.inflate(consumed: consumed)
      }
      guard inflate.isAtEnd, inflate.count == consumed else {
        throw ProofError("png-surplus-rows", offset: data.upperBound)
      }
      return rows.reduced
    }
  }

  /// Checks the end of the file, and whether the pixels use palette and transparency.
  private static func finish(
    _ chunks: inout PNGProofChunks, form: PNGProofForm, use: PNGProofUse, palette: Range<Int>,
    transparency: Range<Int>
  ) throws(ProofError) {
    _ = try chunks.demand("IEND", count: 0)
    guard chunks.next.isEmpty, chunks.data.isEmpty else {
      throw ProofError("png-trailing", offset: chunks.data.lowerBound)
    }
    guard form.colorType == 3 else {
      guard transparency.isEmpty || use.hasTransparentColor else {
        throw ProofError("png-unused-transparency", offset: transparency.lowerBound)
      }
      return
    }
    let count = form.palette.count / 3
    var shown = Set<Int>()
    for index in 0..<count where use.entries[index] {
      let color = form.palette[index * 3..<index * 3 + 3].reduce(0) { $0 << 8 | Int($1) }
      let alpha = index < form.transparency.count ? form.transparency[index] : 255
      guard alpha > 0 || color == 0 else {
        throw ProofError("png-hidden-color", offset: palette.lowerBound + index * 3)
      }
      // The choice between two equal entries could hide data.
      guard shown.insert(color << 8 | Int(alpha)).inserted else {
        throw ProofError("png-twin-entry", offset: palette.lowerBound + index * 3)
      }
    }
    for index in 0..<count where !use.entries[index] {
      guard index < count - 1 || count == 1,
        form.palette[index * 3..<index * 3 + 3].allSatisfy({ $0 == 0 })
      else { throw ProofError("png-unused-entry", offset: palette.lowerBound + index * 3) }
      guard index >= form.transparency.count || form.transparency[index] == 255 else {
        throw ProofError("png-unused-transparency", offset: transparency.lowerBound + index)
      }
    }
  }
}
