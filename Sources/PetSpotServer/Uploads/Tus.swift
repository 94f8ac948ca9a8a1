import Announcements
import Foundation
import HTTPTypes

/// The protocol tus 1.0.0 without any storage: what requests say, and what answers carry
/// (https://tus.io/protocols/resumable-upload).
enum Tus {
  /// The one version spoken.
  static let version = "1.0.0"
  /// The extensions spoken. Deferred lengths, concatenation, checksums and bytes in the creating
  /// request are none of them.
  static let extensions = "creation,expiration,termination"
  /// The media type of bytes.
  static let mediaType = "application/offset+octet-stream"

  /// Why a request is not understood.
  enum Refusal: Error, Equatable {
    /// `Tus-Resumable` is missing or names another version (412).
    case version
    /// The body is of another type, or encoded (415).
    case mediaType
    /// A field is missing, given twice, not of its form, or of an extension not spoken (400).
    case field(String)
  }

  /// What a request to create an upload says.
  struct Creation: Sendable, Equatable {
    /// Bytes of the whole file.
    var length: Int
    /// The key `filename` of `Upload-Metadata`.
    var fileName: String?
  }

  // MARK: - Requests

  /// The method a request means: clients that cannot send every method name it in a field, and the
  /// actual one is ignored then (tus 1.0.0, X-HTTP-Method-Override).
  static func method(_ actual: String, _ fields: HTTPFields) throws(Refusal) -> String {
    try value(.methodOverride, fields) ?? actual
  }

  /// Every request but `OPTIONS` names the version; before that nothing of it counts (tus 1.0.0,
  /// Tus-Resumable).
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
  /// - Returns: where its bytes belong.
  static func offset(_ fields: HTTPFields) throws(Refusal) -> Int {
    try checkVersion(fields)
    guard let type = try? value(.contentType, fields),
      type.prefix(while: { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased()
        == mediaType,
      fields[.contentEncoding] == nil
    else { throw .mediaType }
    return try number(.uploadOffset, fields)
  }

  // MARK: - Parts

  /// A field's value, nil without one; given twice it has none.
  private static func value(_ name: HTTPField.Name, _ fields: HTTPFields) throws(Refusal) -> String?
  {
    let values = fields[values: name]
    guard values.count < 2 else { throw .field(name.rawName) }
    return values.first
  }

  /// A number that has to be there: ASCII digits alone, at most 18 of them.
  private static func number(_ name: HTTPField.Name, _ fields: HTTPFields) throws(Refusal) -> Int {
    guard let number = try value(name, fields)?.digits(most: 18) else {
      throw .field(name.rawName)
    }
    return number
  }

  /// The file name among pairs of a key and a value in base64, separated by commas; the space may be
  /// left out with an empty value, and no key stands there twice (tus 1.0.0, Upload-Metadata).
  ///
  /// - Returns: nil without one. What is no UTF-8 in it is replaced.
  private static func fileName(_ metadata: String) throws(Refusal) -> String? {
    var values: [String: Data] = [:]
    // Clients without metadata may send the field all the same.
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
  /// Decodes a value whose padding some clients leave out, or cut.
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
