import Foundation

/// Everything that the bytes of a blob and its preview depend on: parts of the policy, the version of PetSpot's own
/// code, and the libraries that decoded and encoded.
///
/// Equal originals with equal forms give equal bytes. If the form has changed since, `verify` prepares the original
/// with the recorded form.
package struct PhotoForm: Sendable, Equatable, Codable {
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
  /// The version of PetSpot's own code.
  package var code: Int
  /// The versions of the libraries by name, for those that report one.
  package var libraries: [String: String]

  /// Creates a form with these values.
  package init(
    previewSide: Int, jpegQuality: Int, webpQuality: Int, losslessPixels: Int, previewQuality: Int,
    code: Int, libraries: [String: String]
  ) {
    self.previewSide = previewSide
    self.jpegQuality = jpegQuality
    self.webpQuality = webpQuality
    self.losslessPixels = losslessPixels
    self.previewQuality = previewQuality
    self.code = code
    self.libraries = libraries
  }

  /// The form as JSON with sorted keys, so that equal forms are equal texts.
  package var text: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Parses a stored form. Returns `nil` if the text isn't a valid form.
  package init?(text: String) {
    guard let form = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
    self = form
  }
}
