import Foundation
package import HTTPTypes
import PhotoAttachments

/// Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload), without storage: reads the fields of requests and
/// creates those of responses. Apple's phones and tablets support the protocol themselves.
///
/// While it is a draft, each request names its version of the protocol, and the response uses the same version.
struct Rufh: Sendable, Equatable {
  /// The supported versions.
  enum Version: Int, CaseIterable, Comparable {
    /// Draft 01, used by iOS 17.
    case three = 3
    /// Draft 03.
    case five = 5
    /// Drafts 04 and 05.
    case six = 6
    /// Drafts since 09, used by iOS 26.
    case eight = 8

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// The fields of a request to create an upload.
  struct Creation: Sendable, Equatable {
    /// The size of the whole file. `nil` if the client doesn't know it yet.
    var length: Int?
    /// `true` if the file ends with the body.
    var isLast: Bool
    /// The name in `Content-Disposition`.
    var fileName: String?
  }

  /// Why a request is refused.
  enum Refusal: Error, Equatable {
    /// A field is missing, malformed, or not allowed in this request (400).
    case field(String)
    /// The body has another type (415).
    case mediaType
    /// The sizes in the request contradict each other (400).
    case lengths
    /// The upload is complete, and takes no more bytes (400).
    case completed
  }

  /// The media type of bodies that continue an upload.
  static let mediaType = "application/partial-upload"

  /// The version of the request.
  let version: Version

  /// The protocol in a version.
  init(_ version: Version) { self.version = version }

  /// The protocol of a request. `nil` if the request names no supported version.
  init?(_ fields: HTTPFields) {
    guard let number = Self.integer(.uploadDraftInteropVersion, fields),
      let version = Version(rawValue: number)
    else { return nil }
    self.version = version
  }

  // MARK: - Requests

  /// Reads a request that may create an upload.
  ///
  /// - Parameter count: bytes of its body. `nil` for a body in chunks.
  /// - Returns: `nil` if the request doesn't ask for an upload.
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
  /// - Parameter count: bytes of its body. `nil` for a body in chunks.
  func addition(_ fields: HTTPFields, count: Int?) throws(Refusal) -> UploadAddition {
    if version >= .six {
      let type = fields[.contentType].map { HeaderValue(disposition: $0.utf8).value }
      guard type == Self.mediaType else { throw .mediaType }
    }
    guard let offset = Self.integer(.uploadOffset, fields) else { throw .field("Upload-Offset") }
    // Before version 8, the field may be omitted with the last bytes.
    guard let isLast = isLast(fields) ?? (version <= .six ? true : nil) else {
      throw .field("Upload-Complete")
    }
    let length = try length(fields, isLast: isLast, offset: offset, count: count)
    return UploadAddition(offset: offset, length: length, isLast: isLast)
  }

  /// Checks that a `HEAD` or `DELETE` has no fields of other methods. Version 8 ignores such fields.
  func checkPlain(_ fields: HTTPFields) throws(Refusal) {
    guard version <= .six else { return }
    for name in [completeness, .uploadOffset] where fields[name] != nil {
      throw .field(name.rawName)
    }
  }

  /// Returns the size of the whole file if it follows from the request (Upload-Length).
  private func length(
    _ fields: HTTPFields, isLast: Bool, offset: Int, count: Int?
  ) throws(Refusal) -> Int? {
    let named = Self.integer(.uploadLength, fields)
    guard isLast, let count else { return named }
    let (sum, overflows) = offset.addingReportingOverflow(count)
    guard !overflows, named ?? sum == sum else { throw .lengths }
    return sum
  }

  /// Returns whether the file ends with the request's body. `nil` if the request doesn't specify it.
  private func isLast(_ fields: HTTPFields) -> Bool? {
    let value = Self.boolean(completeness, fields)
    return version == .three ? value.map { !$0 } : value
  }

  /// The field for whether the file ends with the body. Version 3 has the opposite field.
  private var completeness: HTTPField.Name {
    version == .three ? .uploadIncomplete : .uploadComplete
  }

  // MARK: - Responses

  /// The status of interim responses.
  static let interim = HTTPResponse.Status(code: 104, reasonPhrase: "Upload Resumption Supported")

  /// The fields of every response.
  var common: HTTPFields {
    [.uploadDraftInteropVersion: String(version.rawValue), .cacheControl: "no-store"]
  }

  /// Returns the interim response to a request that created an upload.
  ///
  /// - Parameter location: the upload's URL.
  func created(_ upload: Upload, location: String, limits: UploadLimits, at now: Date) -> HTTPFields
  {
    var fields: HTTPFields = [
      .uploadDraftInteropVersion: String(version.rawValue), .location: location,
    ]
    fields[.uploadLimit] = limit(limits, expires: upload.expires, at: now)
    return fields
  }

  /// Returns the interim response while bytes arrive. Version 3 has none.
  ///
  /// - Parameter offset: the number of saved bytes.
  func progress(_ offset: Int) -> HTTPFields {
    [.uploadDraftInteropVersion: String(version.rawValue), .uploadOffset: String(offset)]
  }

  /// Returns the fields for an upload's current state.
  func state(of upload: Upload, limits: UploadLimits, at now: Date) -> HTTPFields {
    let isComplete = upload.outcome == .confirmed
    var fields = common
    fields[.uploadOffset] = String(upload.offset)
    add(isComplete: isComplete, to: &fields)
    if version >= .six, upload.hasLength { fields[.uploadLength] = String(upload.length) }
    fields[.uploadLimit] = limit(limits, expires: isComplete ? nil : upload.expires, at: now)
    return fields
  }

  /// Returns the fields of the response after the upload's owner (an announcement or a draft) has accepted or refused
  /// the whole photo.
  func final(of upload: Upload) -> HTTPFields {
    var fields = common
    if upload.outcome == .confirmed { fields[.uploadOffset] = String(upload.offset) }
    // In version 8 the field marks a response of the owner, even a refusal. In earlier versions it means success.
    if upload.outcome == .confirmed || version == .eight { add(isComplete: true, to: &fields) }
    return fields
  }

  /// Returns the fields of the response to a failed request, whose upload isn't complete.
  func failed() -> HTTPFields {
    var fields = common
    if version == .eight { add(isComplete: false, to: &fields) }
    return fields
  }

  private func add(isComplete: Bool, to fields: inout HTTPFields) {
    fields[completeness] = isComplete == (version != .three) ? "?1" : "?0"
  }

  /// Returns the limits of an upload (Upload-Limit). `nil` before version 6.
  func limit(_ limits: UploadLimits, expires: Date? = nil, at now: Date = .now) -> String? {
    guard version >= .six else { return nil }
    let age = version == .six ? "expires" : "max-age"
    let seconds = expires.map { max(0, Int($0.timeIntervalSince(now))) }
    return "max-size=\(limits.length)" + (seconds.map { ", \(age)=\($0)" } ?? "")
  }

  // MARK: - Structured fields (RFC 9651)

  /// Returns the only item of a field, without parameters. `nil` if the field is missing or has another form.
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
  static let uploadDraftInteropVersion = Self("Upload-Draft-Interop-Version")!
  /// `Upload-Complete`: `true` if the file ends with the body.
  package static let uploadComplete = Self("Upload-Complete")!
  /// `Upload-Incomplete`: the opposite.
  package static let uploadIncomplete = Self("Upload-Incomplete")!
  /// `Upload-Offset`: the number of bytes that have arrived.
  static let uploadOffset = Self("Upload-Offset")!
  /// `Upload-Length`: the size of the file.
  static let uploadLength = Self("Upload-Length")!
  /// `Upload-Limit`: the largest size and the lifetime of an upload.
  static let uploadLimit = Self("Upload-Limit")!
  /// `Accept-Patch`: the media types of `PATCH`.
  static let acceptPatch = Self("Accept-Patch")!
}
