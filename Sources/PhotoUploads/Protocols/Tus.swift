import Foundation
import HTTPTypes
import PhotoModel

/// The protocol tus 1.0.0 (https://tus.io/protocols/resumable-upload), without storage: reads the fields of requests
/// and creates responses.
package enum Tus {
  /// The only supported version.
  static let version = "1.0.0"
  /// The supported extensions. Deferred lengths, concatenation, checksums, and bytes in the creating request aren't
  /// supported.
  static let extensions = "creation,expiration,termination"
  /// The media type of bodies.
  static let mediaType = "application/offset+octet-stream"

  /// Why a request is refused.
  enum Refusal: Error, Equatable {
    /// `Tus-Resumable` is missing or names another version (412).
    case version
    /// The body has another type, or is encoded (415).
    case mediaType
    /// A field is missing, repeated, malformed, or belongs to an unsupported extension (400).
    case field(String)
  }

  /// The fields of a request to create an upload.
  struct Creation: Sendable, Equatable {
    /// The size of the whole file.
    var length: Int
    /// The key `filename` of `Upload-Metadata`.
    var fileName: String?
  }

  // MARK: - Requests

  /// Returns the method that a request means. Clients that can't send every method name it in a field, which replaces
  /// the actual one (tus 1.0.0, X-HTTP-Method-Override).
  static func method(_ actual: String, _ fields: HTTPFields) throws(Refusal) -> String {
    try value(.methodOverride, fields) ?? actual
  }

  /// Checks the version, which every request except `OPTIONS` has to name. No other field counts before this check (tus
  /// 1.0.0, Tus-Resumable).
  static func checkVersion(_ fields: HTTPFields) throws(Refusal) {
    guard let named = try? value(.tusResumable, fields), named == version else { throw .version }
  }

  /// Reads a `POST` (tus 1.0.0, Creation).
  static func creation(_ fields: HTTPFields) throws(Refusal) -> Creation {
    try checkVersion(fields)
    for unknown in [HTTPField.Name.uploadDeferLength, .uploadConcat] where fields[unknown] != nil {
      throw .field(unknown.rawName)
    }
    let length = try number(.uploadLength, fields)
    let metadata = try value(.uploadMetadata, fields)
    return Creation(length: length, fileName: try metadata.flatMap(fileName))
  }

  /// Reads a `PATCH` (tus 1.0.0, PATCH).
  ///
  /// - Returns: the offset of its bytes in the file.
  static func offset(_ fields: HTTPFields) throws(Refusal) -> Int {
    try checkVersion(fields)
    guard let type = try? value(.contentType, fields),
      type.prefix(while: { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased()
        == mediaType,
      fields[.contentEncoding] == nil
    else { throw .mediaType }
    return try number(.uploadOffset, fields)
  }

  // MARK: - Helpers

  /// Returns a field's value. `nil` if the field is missing. Throws if it's repeated.
  private static func value(_ name: HTTPField.Name, _ fields: HTTPFields) throws(Refusal) -> String?
  {
    let values = fields[values: name]
    guard values.count < 2 else { throw .field(name.rawName) }
    return values.first
  }

  /// Returns the value of a required number: at most 18 ASCII digits and nothing else.
  private static func number(_ name: HTTPField.Name, _ fields: HTTPFields) throws(Refusal) -> Int {
    guard let number = try value(name, fields)?.digits(most: 18) else {
      throw .field(name.rawName)
    }
    return number
  }

  /// Returns the file name from pairs of a key and a value in base64, separated by commas. The space may be omitted if
  /// the value is empty. Each key appears once (tus 1.0.0, Upload-Metadata).
  ///
  /// - Returns: `nil` if there is no file name. Invalid UTF-8 in it is replaced.
  private static func fileName(_ metadata: String) throws(Refusal) -> String? {
    var values: [String: Data] = [:]
    // Clients without metadata may still send the field.
    if metadata.allSatisfy({ $0 == " " }) { return nil }
    for pair in metadata.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = pair.trimmingCharacters(in: .whitespaces)
        .split(separator: " ", omittingEmptySubsequences: false)
      guard let key = parts.first, !key.isEmpty, parts.count <= 2,
        key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
        let value = Self.value(ofBase64: parts.dropFirst().first ?? ""),
        values.updateValue(value, forKey: String(key)) == nil
      else { throw .field("Upload-Metadata") }
    }
    return values["filename"].map { String(decoding: $0, as: UTF8.self).withShortRowsOfMarks }
  }
}

extension Tus {
  /// Decodes a value whose padding some clients omit or cut.
  private static func value(ofBase64 text: Substring) -> Data? {
    var digits = String(text)
    while digits.hasSuffix("="), text.utf8.count - digits.utf8.count < 2 { digits.removeLast() }
    return Data(base64Encoded: digits + String(repeating: "=", count: -digits.utf8.count & 3))
  }
}

extension HTTPField.Name {
  static let tusResumable = Self("Tus-Resumable")!
  static let tusVersion = Self("Tus-Version")!
  static let tusExtension = Self("Tus-Extension")!
  static let tusMaxSize = Self("Tus-Max-Size")!
  static let methodOverride = Self("X-HTTP-Method-Override")!
  static let uploadConcat = Self("Upload-Concat")!
  static let uploadDeferLength = Self("Upload-Defer-Length")!
  static let uploadExpires = Self("Upload-Expires")!
  static let uploadMetadata = Self("Upload-Metadata")!
}
