/// The five picture formats that PetSpot accepts.
public enum ImageFormat: String, Sendable, Equatable, CaseIterable, Codable {
  case jpeg, png, gif, webp, heic

  /// The Uniform Type Identifier, as required by seed 028 and decision 2 (see ReportFlow's article Decisions).
  public var uti: String {
    switch self {
    case .jpeg: "public.jpeg"
    case .png: "public.png"
    case .gif: "com.compuserve.gif"
    case .webp: "org.webmproject.webp"
    case .heic: "public.heic"
    }
  }

  /// The media type for HTTP responses.
  public var mime: String { "image/\(rawValue)" }

  /// `true` if every browser supports the format, so that blobs may have it. Pictures in other formats are converted.
  package var isStored: Bool { self != .heic }

  /// `true` if decoders return the picture upright, so that the EXIF orientation must not be applied (ISO/IEC 23008-12:
  /// the container has its own rotation).
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

  /// The format's name for people.
  package var name: String { self == .webp ? "WebP" : rawValue.uppercased() }

  /// Creates the format with this Uniform Type Identifier, or returns `nil` if the identifier is unknown.
  package init?(uti: String) {
    guard let match = Self.allCases.first(where: { $0.uti == uti }) else { return nil }
    self = match
  }
}
