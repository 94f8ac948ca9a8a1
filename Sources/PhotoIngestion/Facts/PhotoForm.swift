import Foundation

/// Everything that the bytes of a blob and its preview depend on: parts of the policy, the version
/// of PetSpot's own code, and the libraries that decoded and encoded. Equal originals give equal
/// bytes under equal forms; if a form has changed since, `verify` prepares the original as it was
/// prepared then.
package struct PhotoForm: Sendable, Equatable, Codable {
  /// The version of what this code makes of equal input under an equal policy. Raise it with every
  /// change that gives other bytes: of cleaning, planning, turning, shrinking or encoding.
  package static let currentCode = 7

  static let libraryNames: Set<String> = ["libvips", "libheif", "libwebp", "libavcodec"]

  /// `PhotoPolicy.previewSide`.
  package var previewSide: Int
  /// `PhotoPolicy.jpegQuality`.
  package var jpegQuality: Int
  /// `PhotoPolicy.webpQuality`.
  package var webpQuality: Int
  /// `PhotoPolicy.losslessPixels`.
  package var losslessPixels: Int
  /// `PhotoPolicy.previewQuality`.
  package var previewQuality: Int
  /// The version of our own code.
  package var code: Int
  /// Versions of the libraries by name, as far as they report them.
  package var libraries: [String: String]

  /// The form that a policy, this code and these libraries give.
  ///
  /// - Parameters:
  ///   - policy: what says which form comes out.
  ///   - libraries: as a worker reports them; only what looks like a version is kept.
  package init(policy: PhotoPolicy, libraries: [String: String]) {
    previewSide = policy.previewSide
    jpegQuality = policy.jpegQuality
    webpQuality = policy.webpQuality
    losslessPixels = policy.losslessPixels
    previewQuality = policy.previewQuality
    code = Self.currentCode
    self.libraries = libraries.filter { Self.libraryNames.contains($0.key) }.compactMapValues {
      let isVersion =
        $0.utf8.count <= 32
        && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".+-~_".contains($0)) }
      return isVersion ? $0 : nil
    }
  }

  /// Returns a policy with what of it decides on the bytes; its limits and threads stay.
  package func applied(to policy: PhotoPolicy) -> PhotoPolicy {
    var policy = policy
    policy.previewSide = previewSide
    policy.jpegQuality = jpegQuality
    policy.webpQuality = webpQuality
    policy.losslessPixels = losslessPixels
    policy.previewQuality = previewQuality
    return policy
  }

  /// The form as it is on record: JSON with sorted keys, so that equal forms are equal texts.
  package var text: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A form on record; nil when it isn't a known one.
  package init?(text: String) {
    guard let form = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
    self = form
  }
}
