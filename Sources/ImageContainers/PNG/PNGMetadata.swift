/// The metadata of a PNG: EXIF, XMP, and the kind of each chunk.
struct PNGMetadata {
  /// The EXIF data from the eXIf chunk, or from ImageMagick's text chunk.
  private(set) var exif: EXIF?
  /// `true` if EXIF or XMP contain a place.
  private(set) var hasLocation = false

  /// The bytes to which the file's compressed texts may still be decompressed.
  private var textBudget = 4 << 20

  init(_ bytes: [UInt8], chunks: [PNGChunk]) {
    if let chunk = chunks.first(where: { $0.type == "eXIf" && $0.isIntact }) {
      exif = EXIF.parse(bytes, in: chunk.data)
    }
    for chunk in chunks where chunk.isIntact {
      switch PNGText(bytes, chunk)?.keyword {
      case "Raw profile type exif", "Raw profile type APP1":
        guard let block = Self.rawProfile(text(bytes, chunk)) else { break }
        if block.starts(with: "http://ns.adobe.com/xap/1.0/".utf8) {
          readXMP(block, in: 0..<block.count)
        } else if exif == nil {
          exif = EXIF.parse(block, in: 0..<block.count)
        }
      case "Raw profile type xmp":
        if let block = Self.rawProfile(text(bytes, chunk)) {
          readXMP(block, in: 0..<block.count)
        }
      case "XML:com.adobe.xmp":
        let packet = text(bytes, chunk)
        readXMP(packet, in: 0..<packet.count)
      default: break
      }
    }
    if exif?.hasGPS == true { hasLocation = true }
  }

  private mutating func readXMP(_ packet: [UInt8], in range: Range<Int>) {
    if XMP.parse(packet, in: range).hasLocation { hasLocation = true }
  }

  /// Returns the text of a chunk, decompressed if necessary, or an empty text if that fails. After the first failure,
  /// no more texts are decompressed, so the work is bounded for any number of chunks.
  private mutating func text(_ bytes: [UInt8], _ chunk: PNGChunk) -> [UInt8] {
    guard let text = PNGText(bytes, chunk) else { return [] }
    guard text.isCompressed else { return [UInt8](bytes[text.range]) }
    guard textBudget > 0, let inflated = try? Inflate.zlib(bytes, in: text.range, limit: textBudget)
    else {
      textBudget = 0
      return []
    }
    textBudget -= inflated.count
    return inflated
  }

  /// Decodes a profile that ImageMagick has written: a name, a byte count, and lines of hexadecimal digits.
  static func rawProfile(_ text: [UInt8]) -> [UInt8]? {
    let newline = UInt8(ascii: "\n")
    let lines = text.drop { $0 == newline }.split(
      separator: newline, maxSplits: 2, omittingEmptySubsequences: true)
    guard lines.count == 3 else { return nil }
    var block: [UInt8] = []
    block.reserveCapacity(lines[2].count / 2)
    var high: UInt8?
    for character in lines[2] {
      let digit: UInt8
      switch character {
      case 0x30...0x39: digit = character - 0x30
      case 0x41...0x46: digit = character - 0x41 + 10
      case 0x61...0x66: digit = character - 0x61 + 10
      default: continue
      }
      if let upper = high {
        block.append(upper << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return block
  }

  /// Returns the kind of a chunk that decoding doesn't need.
  static func kind(of chunk: PNGChunk, in bytes: [UInt8]) -> ContainerPart.Kind {
    switch chunk.type {
    case "eXIf", "zxIf": .exif
    case "iCCP", "sRGB", "gAMA", "cHRM", "cICP", "mDCV", "cLLI", "mDCv", "cLLi": .colorProfile
    case "tEXt", "zTXt", "iTXt":
      switch PNGText(bytes, chunk)?.keyword {
      case "XML:com.adobe.xmp", "Raw profile type xmp": .xmp
      case "Raw profile type exif", "Raw profile type APP1": .exif
      case "Raw profile type iptc", "Raw profile type 8bim": .iptc
      case "Raw profile type icc", "Raw profile type icm": .colorProfile
      case "Comment": .comment
      default: .text
      }
    case "PLTE", "tRNS", "bKGD", "hIST", "pHYs", "sBIT", "sPLT", "tIME", "acTL", "fcTL", "fdAT",
      "oFFs", "pCAL", "sCAL", "gIFg", "gIFt", "gIFx", "sTER", "dSIG":
      .application
    case "caBX": .contentCredentials
    // A picture that isn't a frame of the animation.
    case "IDAT": .secondPicture
    default: .unknown
    }
  }
}

/// A parsed text chunk: tEXt, zTXt or iTXt (W3C PNG Third Edition, 11.3.3).
struct PNGText {
  let keyword: String
  /// The range of the text, which may be compressed.
  let range: Range<Int>
  let isCompressed: Bool

  /// Parses a chunk. Returns `nil` for other and damaged chunks.
  init?(_ bytes: [UInt8], _ chunk: PNGChunk) {
    guard ["tEXt", "zTXt", "iTXt"].contains(chunk.type),
      let name = bytes[chunk.data].prefix(80).firstIndex(of: 0)
    else { return nil }
    keyword = String(decoding: bytes[chunk.data.lowerBound..<name], as: UTF8.self)
    var start = name + 1
    switch chunk.type {
    case "zTXt":
      isCompressed = true
      start += 1
    case "iTXt":
      // Compression flag, method, language, NUL, translated keyword, NUL.
      guard start + 2 <= chunk.data.upperBound else { return nil }
      isCompressed = bytes[start] == 1
      start += 2
      for _ in 0..<2 {
        guard let next = bytes[start..<chunk.data.upperBound].firstIndex(of: 0) else { return nil }
        start = next + 1
      }
    default: isCompressed = false
    }
    guard start <= chunk.data.upperBound else { return nil }
    range = start..<chunk.data.upperBound
  }
}
