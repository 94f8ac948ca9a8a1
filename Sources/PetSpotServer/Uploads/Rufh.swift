import Foundation
import HTTPTypes
import PhotoAttachments

/// Resumable Uploads for HTTP, without any storage: what requests say, and what answers carry
/// (draft-ietf-httpbis-resumable-upload). Phones and tablets of Apple speak it by themselves.
///
/// While it is a draft, each request names the version of the protocol that it means, and is answered
/// in that one.
struct Rufh: Sendable, Equatable {
  /// The versions that are spoken.
  enum Version: Int, CaseIterable, Comparable {
    /// Draft 01, as iOS 17 speaks it.
    case three = 3
    /// Draft 03.
    case five = 5
    /// Drafts 04 and 05.
    case six = 6
    /// Draft 09 and those after it, as iOS 26 speaks them.
    case eight = 8

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// What a request to create an upload says.
  struct Creation: Sendable, Equatable {
    /// Bytes of the whole file; nil while the client does not know it.
    var length: Int?
    /// Whether the file ends with the body.
    var isLast: Bool
    /// The name in `Content-Disposition`.
    var fileName: String?
  }

  /// Why a request is not understood.
  enum Refusal: Error, Equatable {
    /// A field is missing, malformed, or has no place in this request (400).
    case field(String)
    /// The body is of another type (415).
    case mediaType
    /// The sizes that the request gives are not the same (400).
    case lengths
    /// The upload is complete, and takes no more (400).
    case completed
  }

  /// The media type of the bytes that continue an upload.
  static let mediaType = "application/partial-upload"

  /// The version of the request.
  let version: Version

  /// The protocol in a version.
  init(_ version: Version) { self.version = version }

  /// The protocol of a request; nil when it names no version that is spoken.
  init?(_ fields: HTTPFields) {
    guard let number = Self.integer(.uploadDraftInteropVersion, fields),
      let version = Version(rawValue: number)
    else { return nil }
    self.version = version
  }

  // MARK: - Requests

  /// Reads a request that may create an upload.
  ///
  /// - Parameters:
  ///   - count: bytes of its body; nil for one in chunks.
  /// - Returns: nil when it does not ask for one.
  func creation(_ fields: HTTPFields, count: Int?) throws(Refusal) -> Creation? {
    guard let isLast = isLast(fields) else { return nil }
    if version <= .six, Self.integer(.uploadOffset, fields) ?? 0 != 0 {
      throw .field("Upload-Offset")
    }
    let length = try length(fields, isLast: isLast, offset: 0, count: count)
    let disposition = fields[.contentDisposition].map { HeaderValue(disposition: $0.utf8) }
    return Creation(length: length, isLast: isLast, fileName: disposition?.fileName)
  }

  /// Reads a `PATCH`.
  ///
  /// - Parameters:
  ///   - count: bytes of its body; nil for one in chunks.
  func addition(_ fields: HTTPFields, count: Int?) throws(Refusal) -> UploadAddition {
    if version >= .six {
      let type = fields[.contentType].map { HeaderValue(disposition: $0.utf8).value }
      guard type == Self.mediaType else { throw .mediaType }
    }
    guard let offset = Self.integer(.uploadOffset, fields) else { throw .field("Upload-Offset") }
    // Until the eighth version it may be left out with the last bytes.
    guard let isLast = isLast(fields) ?? (version <= .six ? true : nil) else {
      throw .field("Upload-Complete")
    }
    let length = try length(fields, isLast: isLast, offset: offset, count: count)
    return UploadAddition(offset: offset, length: length, isLast: isLast)
  }

  /// Looks that a `HEAD` or `DELETE` has no field of the others, which the eighth version forgives.
  func checkPlain(_ fields: HTTPFields) throws(Refusal) {
    guard version <= .six else { return }
    for name in [completeness, .uploadOffset] where fields[name] != nil {
      throw .field(name.rawName)
    }
  }

  /// The whole file's size, as far as a request says it (Upload-Length).
  private func length(
    _ fields: HTTPFields, isLast: Bool, offset: Int, count: Int?
  ) throws(Refusal) -> Int? {
    let named = Self.integer(.uploadLength, fields)
    guard isLast, let count else { return named }
    let (sum, overflows) = offset.addingReportingOverflow(count)
    guard !overflows, named ?? sum == sum else { throw .lengths }
    return sum
  }

  /// Whether the file ends with the request's body; nil when it does not say so.
  private func isLast(_ fields: HTTPFields) -> Bool? {
    let value = Self.boolean(completeness, fields)
    return version == .three ? value.map { !$0 } : value
  }

  /// The field that says whether the file ends there. The third version has its opposite.
  private var completeness: HTTPField.Name {
    version == .three ? .uploadIncomplete : .uploadComplete
  }

  // MARK: - Answers

  /// The status of an interim answer.
  static let interim = HTTPResponse.Status(code: 104, reasonPhrase: "Upload Resumption Supported")

  /// What every answer has.
  var common: HTTPFields {
    [.uploadDraftInteropVersion: String(version.rawValue), .cacheControl: "no-store"]
  }

  /// The interim answer to a request that made an upload.
  ///
  /// - Parameter location: the upload's address.
  func created(_ upload: Upload, location: String, limits: UploadLimits, at now: Date) -> HTTPFields
  {
    var fields: HTTPFields = [
      .uploadDraftInteropVersion: String(version.rawValue), .location: location,
    ]
    fields[.uploadLimit] = limit(limits, expires: upload.expires, at: now)
    return fields
  }

  /// The interim answer while bytes come. The third version has none.
  ///
  /// - Parameter offset: bytes that are safe.
  func progress(_ offset: Int) -> HTTPFields {
    [.uploadDraftInteropVersion: String(version.rawValue), .uploadOffset: String(offset)]
  }

  /// The fields of an upload as it stands.
  func state(of upload: Upload, limits: UploadLimits, at now: Date) -> HTTPFields {
    let isComplete = upload.outcome == .confirmed
    var fields = common
    fields[.uploadOffset] = String(upload.offset)
    add(isComplete: isComplete, to: &fields)
    if version >= .six, upload.hasLength { fields[.uploadLength] = String(upload.length) }
    fields[.uploadLimit] = limit(limits, expires: isComplete ? nil : upload.expires, at: now)
    return fields
  }

  /// The fields of an answer of whoever took, or refused, the whole photo.
  func final(of upload: Upload) -> HTTPFields {
    var fields = common
    if upload.outcome == .confirmed { fields[.uploadOffset] = String(upload.offset) }
    // The eighth version says by it who answers, a refusal included; those before, that all is well.
    if upload.outcome == .confirmed || version == .eight { add(isComplete: true, to: &fields) }
    return fields
  }

  /// The fields of an answer to a request that failed: the upload is not complete.
  func failed() -> HTTPFields {
    var fields = common
    if version == .eight { add(isComplete: false, to: &fields) }
    return fields
  }

  private func add(isComplete: Bool, to fields: inout HTTPFields) {
    fields[completeness] = isComplete == (version != .three) ? "?1" : "?0"
  }

  /// What an upload may have (Upload-Limit); nil before the sixth version.
  func limit(_ limits: UploadLimits, expires: Date? = nil, at now: Date = .now) -> String? {
    guard version >= .six else { return nil }
    let age = version == .six ? "expires" : "max-age"
    let seconds = expires.map { max(0, Int($0.timeIntervalSince(now))) }
    return "max-size=\(limits.length)" + (seconds.map { ", \(age)=\($0)" } ?? "")
  }

  // MARK: - Structured fields (RFC 9651)

  /// The one item of a field without its parameters; anything else counts as no field.
  private static func item(_ name: HTTPField.Name, _ fields: HTTPFields) -> Substring? {
    let values = fields[values: name]
    guard values.count == 1 else { return nil }
    let item = values[0].prefix { $0 != ";" }
    return item.drop { $0 == " " }.prefix { $0 != " " }
  }

  private static func boolean(_ name: HTTPField.Name, _ fields: HTTPFields) -> Bool? {
    ["?1": true, "?0": false][item(name, fields)]
  }

  private static func integer(_ name: HTTPField.Name, _ fields: HTTPFields) -> Int? {
    item(name, fields)?.digits(most: 15)
  }
}

extension HTTPField.Name {
  /// `Upload-Draft-Interop-Version`: the version of the protocol.
  static let uploadDraftInteropVersion = Self("Upload-Draft-Interop-Version")!
  /// `Upload-Complete`: whether the file ends there.
  static let uploadComplete = Self("Upload-Complete")!
  /// `Upload-Incomplete`: whether the file goes on.
  static let uploadIncomplete = Self("Upload-Incomplete")!
  /// `Upload-Offset`: how many bytes are there.
  static let uploadOffset = Self("Upload-Offset")!
  /// `Upload-Length`: how many bytes the file has.
  static let uploadLength = Self("Upload-Length")!
  /// `Upload-Limit`: what an upload may have.
  static let uploadLimit = Self("Upload-Limit")!
  /// `Accept-Patch`: the media types of `PATCH`.
  static let acceptPatch = Self("Accept-Patch")!
  /// `Upload-Error`: why a photo was refused.
  static let uploadError = Self("Upload-Error")!
}
