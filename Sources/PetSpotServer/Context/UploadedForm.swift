import ImageContainers
import Announcements
import PhotoAttachments
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoIngestion

/// What a form of multipart/form-data held: its fields, and one file that never stood in memory whole.
struct UploadedForm: Sendable {
  /// The text fields by name.
  var fields: [String: String] = [:]
  /// The file; nil when none was chosen.
  var source: PhotoSource?

  private static let textBytes = 64 << 10
  private static let pieceBytes = 128 << 10

  /// Reads a form from the body.
  ///
  /// - Parameter name: the part that holds the file: with bytes it is one, whatever its file name says.
  ///   A file in another part counts for nothing.
  /// - Throws: 415 for another type of body, 413, 400 `INVALID_MULTIPART`, 400 `MISSING_FILE` for two
  ///   files; what the disk answers.
  static func receive(
    _ context: RequestContext, on site: Site, file name: String
  ) async throws -> UploadedForm {
    let type = context.header(.contentType) ?? ""
    guard MultipartParser.isMultipart(type) else {
      throw ErrorResponse(
        .unsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "Send the photo as multipart/form-data.")
    }
    var reader = Reader(parser: try MultipartParser(contentType: type), fileName: name)
    let limit = site.configuration.uploadLimit
    try await context.readBody(limit: limit + textBytes + pieceBytes) { piece in
      try reader.feed(piece)
      if reader.fileBytes > limit {
        throw PhotoError.tooLarge(.fileBytes, actual: reader.fileBytes, limit: limit)
      }
      if reader.pending.count >= pieceBytes { try await reader.flush(to: site) }
    }
    try reader.finish()
    if reader.hasFile { try await reader.flush(to: site) }
    var form = UploadedForm(fields: reader.fields)
    form.source = try reader.spool?.source(name: reader.chosenName)
    return form
  }

  /// Follows the events of the parser.
  private struct Reader {
    var parser: MultipartParser
    let fileName: String
    var fields: [String: String] = [:]
    var pending: [UInt8] = []
    var fileBytes = 0
    var hasFile = false
    var chosenName = ""
    var spool: SpoolFile?
    private var part = Part.other
    private var text: [UInt8] = []
    private var textBytes = 0

    /// What the current part is. Of one that is `unchosen` the bytes say whether it is the file.
    private enum Part { case file, unchosen, field(String), other }

    init(parser: MultipartParser, fileName: String) {
      (self.parser, self.fileName) = (parser, fileName)
    }

    mutating func feed(_ piece: ByteBuffer) throws {
      var parser = parser
      try piece.withUnsafeReadableBytes { bytes in
        try parser.feed(bytes) { try take($0) }
      }
      self.parser = parser
    }

    mutating func finish() throws { try parser.finish() }

    private mutating func take(_ event: MultipartParser.Event) throws {
      switch event {
      case .part(let name, let chosen, _) where name == fileName:
        let chosen = chosen ?? ""
        part = .unchosen
        if !chosen.isEmpty { try beginFile(named: chosen) }
      case .part(let name, nil, _): part = .field(name)
      case .part: part = .other
      case .bytes(let bytes):
        switch part {
        case .file, .unchosen:
          if case .unchosen = part { try beginFile(named: "photo") }
          pending.append(contentsOf: bytes)
          fileBytes += bytes.count
        case .field:
          textBytes += bytes.count
          guard textBytes <= UploadedForm.textBytes else {
            throw ErrorResponse.tooLarge(actual: nil, limit: UploadedForm.textBytes)
          }
          text.append(contentsOf: bytes)
        case .other: break
        }
      case .endOfPart:
        if case .field(let name) = part {
          fields[name] = String(decoding: text, as: UTF8.self).withShortRowsOfMarks
        }
        text.removeAll()
      case .end: break
      }
    }

    private mutating func beginFile(named name: String) throws {
      guard !hasFile else {
        throw ErrorResponse(
          .badRequest, "MISSING_FILE", "The form has more than one file.", field: fileName)
      }
      part = .file
      hasFile = true
      chosenName = name
    }

    mutating func flush(to site: Site) async throws {
      let (bytes, spool, folder) = (pending, spool, site.photos.folder)
      pending.removeAll(keepingCapacity: true)
      self.spool = try await site.files.run {
        let spool = try spool ?? SpoolFile(in: folder)
        try spool.write(bytes)
        return spool
      }
    }
  }
}
