import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoAttachments
package import PhotoIngestion
import PhotoModel

/// The photo and the fields of a form. The photo is written to disk and never in memory as a whole.
package struct UploadedForm: Sendable {
  package private(set) var fields: [String: String] = [:]
  /// `true` if a field appears twice or isn't UTF-8.
  package private(set) var hasBadField = false
  /// The photo. `nil` if no photo was chosen.
  package private(set) var source: PhotoSource?
  /// `true` if the form has a part named `photo` without a file name besides the photo. The widget FilePond sends its
  /// metadata in one.
  package private(set) var hasMetadata = false

  package static let textBytes = 64 << 10
  /// The name of the photo's part, and of a photo whose own name can't be read.
  private static let photoName = "photo"

  /// Reads a form from the body.
  ///
  /// The photo is the part named `photo` that has a file name. If none has one, it is the part named `photo` that has
  /// bytes. A file in another part is ignored.
  ///
  /// - Parameter takesBare: `true` if the body may be the photo itself.
  /// - Throws: 415 for another type of body, 413, 400 `INVALID_MULTIPART`, 400 `MISSING_FILE` for two files; storage
  ///   errors.
  package static func receive(
    _ context: some UploadRequest, in spool: PhotoSpool, limit: Int, takesBare: Bool = false
  ) async throws -> UploadedForm {
    let type = context.request.headers[.contentType]
    guard MultipartParser.isMultipart(type ?? "") else {
      let bare = context.request.headers.bodyType ?? "application/octet-stream"
      guard takesBare, bare.hasPrefix("image/") || bare == "application/octet-stream" else {
        throw HTTPFailure(
          415, "UNSUPPORTED_MEDIA_TYPE",
          "Send the photo as multipart/form-data"
            + (takesBare ? ", or alone as image/* or application/octet-stream." : "."))
      }
      return try await receiveBare(context, in: spool, limit: limit)
    }
    var reader = Reader(parser: try MultipartParser(contentType: type ?? ""), limit: limit)
    let most = limit + textBytes + SpooledPhoto.pieceBytes
    try await context.readBody(limit: most) { piece in
      try reader.feed(piece)
      try await reader.photo?.flush(to: spool)
    }
    try reader.finish()
    var form = reader.form
    try await reader.photo?.flush(to: spool, atEnd: true)
    form.source = try reader.photo?.source(orNamed: photoName)
    return form
  }

  private static func receiveBare(
    _ context: some UploadRequest, in spool: PhotoSpool, limit: Int
  ) async throws -> UploadedForm {
    let disposition = context.request.headers[.contentDisposition].map {
      HeaderValue(disposition: $0.utf8)
    }
    var photo = SpooledPhoto(name: disposition?.fileName, limit: limit)
    try await context.readBody(limit: photo.limit) { piece in
      try photo.add(piece.readableBytesView)
      try await photo.flush(to: spool)
    }
    try await photo.flush(to: spool, atEnd: true)
    var form = UploadedForm()
    form.source = try photo.source(orNamed: photoName)
    return form
  }

  /// Turns the events of the multipart parser into a form and its photo.
  private struct Reader {
    private(set) var form = UploadedForm()
    var photo: SpooledPhoto?
    private var parser: MultipartParser
    private let limit: Int
    private var part = Part.other
    private var text: [UInt8] = []
    private var textBytes = 0

    /// The kind of the current part. A `candidate` becomes the photo if it has bytes.
    private enum Part {
      case photo
      case candidate(name: String?)
      case field(String)
      case other
    }

    init(parser: MultipartParser, limit: Int) {
      self.parser = parser
      self.limit = limit
    }

    mutating func feed(_ piece: ByteBuffer) throws {
      var parser = parser
      try piece.withUnsafeReadableBytes { bytes in
        try parser.feed(bytes) { try process($0) }
      }
      self.parser = parser
    }

    mutating func finish() throws { try parser.finish() }

    private mutating func process(_ event: MultipartParser.Event) throws {
      switch event {
      case .part(UploadedForm.photoName, let name, _):
        part = .candidate(name: name)
        if let name, !name.isEmpty { try beginPhoto(named: name) }
      case .part(let name, nil, _): part = .field(name)
      case .part: part = .other
      case .bytes(let bytes):
        if case .candidate(let name) = part { try beginPhoto(named: name) }
        switch part {
        case .photo: try photo?.add(bytes)
        case .field: try addText(bytes)
        case .candidate, .other: break
        }
      case .endOfPart:
        if case .field(let name) = part { addField(name) }
        text.removeAll()
      case .end: break
      }
    }

    private mutating func addText(_ bytes: UnsafeRawBufferPointer) throws(HTTPFailure) {
      textBytes += bytes.count
      guard textBytes <= UploadedForm.textBytes else {
        throw .tooLarge(actual: nil, limit: UploadedForm.textBytes)
      }
      text.append(contentsOf: bytes)
    }

    private mutating func addField(_ name: String) {
      let value = String(validating: text, as: UTF8.self)
      // The parser replaces invalid UTF-8 in a name.
      let isBad =
        value == nil || form.fields[name] != nil || name.unicodeScalars.contains("\u{FFFD}")
      form.hasBadField = form.hasBadField || isBad
      form.fields[name] = value?.withShortRowsOfMarks
    }

    private mutating func beginPhoto(named name: String?) throws(HTTPFailure) {
      form.hasMetadata = photo != nil && (photo?.name == nil) != (name == nil)
      if photo?.name != nil, name == nil {
        part = .other
        return
      }
      guard photo == nil || (photo?.name == nil && name != nil) else {
        throw HTTPFailure(
          400, "MISSING_FILE", "The form has more than one file.", field: UploadedForm.photoName)
      }
      part = .photo
      photo = SpooledPhoto(name: name, limit: limit)
    }
  }
}
