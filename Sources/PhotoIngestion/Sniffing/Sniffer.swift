import ImageContainers

/// Stage 1: names the format by content. libmagic and our own signature check must agree; neither
/// alone decides right (libmagic takes a JPEG by three bytes, and calls HEIF of foreign codecs HEIC).
enum Sniffer {
  /// - Throws: `unsupportedFormat` with what it is; `corrupt` when a signature of ours is followed
  ///   by nothing libmagic knows.
  static func sniff(_ bytes: [UInt8]) throws(PhotoError) -> ImageFormat {
    let mediaType = try MagicSniffer.mediaType(of: bytes)
    switch (ImageContainer.format(of: bytes), mediaType) {
    case (.heic, _) where Self.heifTypes.contains(mediaType),
      // libmagic does not know every brand: the walk decides by the primary item's type.
      (.heic, Self.unknown):
      return .heic
    case (let format?, _) where format != .heic && format.mime == mediaType:
      return format
    case (_?, Self.unknown):
      throw .corrupt(what: "signature")
    case (nil, _) where ImageFormat.allCases.contains { $0.mime == mediaType }:
      throw .corrupt(what: "signature")
    default:
      throw .unsupportedFormat(detected: mediaType)
    }
  }

  private static let unknown = "application/octet-stream"
  private static let heifTypes: Set<String> = [
    "image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence",
  ]
}
