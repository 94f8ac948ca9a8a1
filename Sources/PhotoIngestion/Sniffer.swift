import ImageContainers

/// Stage 1: determines the format from the content. libmagic and our own signature check must agree, because neither is
/// reliable alone. libmagic accepts a JPEG after three bytes, and reports HEIF with other codecs as HEIC.
enum Sniffer {
  /// Returns the format of a file.
  ///
  /// - Throws: `unsupportedFormat` with the detected type; `corrupt` if libmagic does not recognize a file with a known
  ///   signature, or reports a supported format whose signature is missing.
  static func sniff(_ bytes: [UInt8]) throws(PhotoError) -> ImageFormat {
    let mediaType = try MagicSniffer.mediaType(of: bytes)
    switch (ImageContainer.format(of: bytes), mediaType) {
    case (.heic, _) where Self.heifTypes.contains(mediaType),
      // libmagic does not recognize every brand. The parser later checks the type of the primary item.
      (.heic, Self.unknown):
      return .heic
    // libmagic checks only the major brand.
    case (.heic, _) where HEICContainer.hasBrand(bytes):
      return .heic
    case (let format?, _) where format != .heic && format.mime == mediaType:
      return format
    case (_?, Self.unknown):
      throw .corrupt(what: "signature")
    case (nil, _) where ImageFormat.allCases.contains { $0.mime == mediaType }:
      throw .corrupt(what: "signature")
    case (nil, Self.unknown):
      throw .unsupportedFormat(detected: textType(of: bytes) ?? mediaType)
    default:
      throw .unsupportedFormat(detected: mediaType)
    }
  }

  /// Returns a more precise error for a refused file, based on its name and content. Most raw files of cameras are
  /// TIFFs to every other reader. A photo that begins with only zeros has lost its pixels.
  static func refined(_ error: PhotoError, of received: ReceivedFile) -> PhotoError {
    guard case .unsupportedFormat(let detected) = error else { return error }
    let bytes = received.bytes
    if bytes.dropFirst(4).starts(with: "ftypcrx ".utf8) {
      return .unsupportedFormat(detected: "image/x-canon-cr3")
    }
    let parts = received.name?.lowercased().split(separator: ".").dropFirst()
    guard ["image/tiff", unknown].contains(detected), let suffix = parts?.last.map(String.init)
    else { return error }
    let isTIFF = bytes.starts(with: "II".utf8) || bytes.starts(with: "MM".utf8)
    if isTIFF, let raw = rawTypes[suffix] { return .unsupportedFormat(detected: raw) }
    let isPhoto = ImageFormat.allCases.contains { $0.fileExtensions.contains(suffix) }
    let isLost = bytes.prefix(MagicSniffer.window).allSatisfy { $0 == 0 }
    return isPhoto && isLost ? .corrupt(what: "zeros") : error
  }

  private static let rawTypes = [
    "nef": "image/x-nikon-nef", "nrw": "image/x-nikon-nef", "arw": "image/x-sony-arw",
    "sr2": "image/x-sony-arw", "dng": "image/x-adobe-dng", "cr2": "image/x-canon-cr2",
    "orf": "image/x-olympus-orf", "rw2": "image/x-panasonic-rw2",
  ]

  /// Returns the media type of readable text. `nil` for anything else. libmagic's own text detection is off (see
  /// `MagicSniffer`). The result only names files that are refused anyway (decision 3).
  private static func textType(of bytes: [UInt8]) -> String? {
    var window = bytes.prefix(MagicSniffer.window)
    guard !window.contains(where: { $0 < 0x20 && !(0x09...0x0D).contains($0) || $0 == 0x7F }) else {
      return nil
    }
    // The window may end within a character.
    if window.count < bytes.count {
      while let last = window.popLast(), last & 0xC0 == 0x80 {}
    }
    let isUTF8 = String(validating: window, as: UTF8.self) != nil
    guard isUTF8 || !window.contains(where: { (0x80...0x9F).contains($0) }) else { return nil }
    let head = String(decoding: window.prefix(1000), as: UTF8.self)
      .drop { $0.isWhitespace || $0 == "\u{FEFF}" }.lowercased()
    let isHTML = ["<!doctype html", "<html", "<head", "<body"].contains { head.hasPrefix($0) }
    return isHTML ? "text/html" : "text/plain"
  }

  private static let unknown = "application/octet-stream"
  private static let heifTypes: Set<String> = [
    "image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence",
  ]
}
