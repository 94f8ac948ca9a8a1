import ImageContainers

/// Checks that an answer is about the requested file. The worker's facts must agree with those that can be read from
/// the beginning of the file without parsing the rest. A compromised worker therefore cannot answer with an earlier
/// photo's picture unless it has the same format and size.
enum ResponseCheck {
  /// Checks the facts of an answer.
  ///
  /// - Throws: `PhotoError.fault(.decoderAnswer)` if the answer is about another file.
  static func check(
    _ facts: DecodedPhoto.Facts, against file: [UInt8], policy: PhotoPolicy
  ) throws(PhotoError) {
    let keepsCodedPicture = facts.normalization.method == .carriedOver
    let claimed = [facts.pixelWidth, facts.pixelHeight]
    let stored = size(of: file, as: facts.format).map { [$0.width, $0.height] } ?? claimed
    guard ImageContainer.format(of: file) == facts.format,
      // Sorted, because a rotation by 90° swaps the sides.
      stored.sorted() == claimed.sorted(),
      facts.blobFormat == facts.format || !keepsCodedPicture && !facts.format.isStored,
      policy.limits.allow(
        frames: facts.blobFrames, width: facts.pixelWidth, height: facts.pixelHeight),
      (1...max(1, facts.source.frameCount)).contains(facts.blobFrames)
    else { throw .fault(.decoderAnswer) }
  }

  /// Returns the stored size in pixels from the header. `nil` for formats whose header alone is not enough (GIF, WebP,
  /// HEIC), and for data that does not begin as specified.
  private static func size(
    of file: [UInt8], as format: ImageFormat
  ) -> (width: Int, height: Int)? {
    switch format {
    case .png where file.count >= 24: (bigEndian(file, 16, 4), bigEndian(file, 20, 4))
    case .jpeg: jpegSize(file)
    case .png, .gif, .webp, .heic: nil
    }
  }

  /// Returns the size from the first frame header (T.81, B.2.2).
  private static func jpegSize(_ file: [UInt8]) -> (width: Int, height: Int)? {
    var at = 2
    while at + 9 <= file.count, file[at] == 0xFF {
      let marker = file[at + 1]
      switch marker {
      case 0xFF: at += 1  // fill
      case 0x01, 0xD0...0xD7: at += 2
      case 0xC4, 0xC8, 0xCC: at += 2 + bigEndian(file, at + 2, 2)
      case 0xC0...0xCF: return (bigEndian(file, at + 7, 2), bigEndian(file, at + 5, 2))
      case 0xE0...0xFE, 0xDB, 0xDD: at += 2 + bigEndian(file, at + 2, 2)
      default: return nil
      }
    }
    return nil
  }

  private static func bigEndian(_ file: [UInt8], _ at: Int, _ count: Int) -> Int {
    file[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
  }
}
