/// The five picture formats that PetSpot accepts.
public enum ImageFormat: String, Sendable, Equatable, CaseIterable, Codable {
  case jpeg, png, gif, webp, heic

  /// The Uniform Type Identifier, as in seed 028 and decision 2.
  public var uti: String {
    switch self {
    case .jpeg: "public.jpeg"
    case .png: "public.png"
    case .gif: "com.compuserve.gif"
    case .webp: "org.webmproject.webp"
    case .heic: "public.heic"
    }
  }

  /// The media type that a server sends with the bytes.
  public var mime: String { "image/\(rawValue)" }

  /// Whether every browser shows it, so that a blob may have it; what has another format is made one
  /// of these.
  package var isStored: Bool { self != .heic }

  /// Whether a decoder gives the picture upright already, so that EXIF's orientation is not applied
  /// (ISO/IEC 23008-12: the container turns).
  package var orientsItself: Bool { self == .heic }

  /// The usual file name extensions in lower case, the preferred one first.
  public var fileExtensions: [String] {
    switch self {
    case .jpeg: ["jpg", "jpeg", "jpe", "jfif", "mpo"]
    case .png: ["png", "apng"]
    case .gif: ["gif"]
    case .webp: ["webp"]
    case .heic: ["heic", "heif", "hif"]
    }
  }

  /// The name a person knows the format by.
  package var name: String { self == .webp ? "WebP" : rawValue.uppercased() }

  /// The format with this Uniform Type Identifier.
  package init?(uti: String) {
    guard let match = Self.allCases.first(where: { $0.uti == uti }) else { return nil }
    self = match
  }
}
