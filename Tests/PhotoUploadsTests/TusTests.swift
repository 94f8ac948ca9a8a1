import Foundation
import HTTPTypes
import HummingbirdCore
import Testing

@testable import PhotoUploads
@testable import PhotoAttachments

@Suite("tus 1.0.0")
struct TusTests {
  private func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    return fields
  }

  private let version = ("tus-resumable", "1.0.0")

  private func post(_ pairs: (String, String)...) throws -> Tus.Creation {
    try Tus.creation(fields([version] + pairs))
  }

  @Test(
    "A request has the version exactly once",
    arguments: [[], ["0.2.2"], ["1.0"], ["1.0.0", "1.0.0"]])
  func versions(_ values: [String]) throws {
    let fields = try fields(values.map { ("Tus-Resumable", $0) })
    #expect(throws: Tus.Refusal.version) { try Tus.checkVersion(fields) }
    #expect(throws: Tus.Refusal.version) { try Tus.creation(fields) }
    #expect(throws: Tus.Refusal.version) { try Tus.offset(fields) }
    let answer = HTTPFailure(Tus.Refusal.version)
    #expect(answer.status.code == 412)
    #expect(answer.headers[.tusVersion] == "1.0.0")
  }

  @Test("A length is a plain number")
  func lengths() throws {
    #expect(try post(("upload-length", "0")) == Tus.Creation(length: 0))
    #expect(try post(("Upload-Length", "999999999999999999")).length == 999_999_999_999_999_999)
    for value in ["", "-1", "+1", "1 1", "0x5", "1e3", "٣", "1,1", "1000000000000000000"] {
      #expect(throws: Tus.Refusal.field("Upload-Length")) { try post(("Upload-Length", value)) }
    }
    #expect(throws: Tus.Refusal.field("Upload-Length")) { try post() }
    #expect(throws: Tus.Refusal.field("Upload-Length")) {
      try post(("Upload-Length", "1"), ("upload-length", "1"))
    }
    #expect(throws: Tus.Refusal.field("Upload-Defer-Length")) {
      try post(("Upload-Defer-Length", "1"))
    }
    #expect(throws: Tus.Refusal.field("Upload-Concat")) {
      try post(("Upload-Length", "1"), ("Upload-Concat", "partial"))
    }
  }

  @Test(
    "The file name is in the metadata",
    arguments: [
      ("filename Y2F0LmpwZw==", "cat.jpg"), ("filetype aW1hZ2U=,filename xYJhcGE=", "łapa"),
      ("filename Y2F0LmpwZw==, is_confidential", "cat.jpg"), ("is_confidential ", nil),
      ("filename Y2F0LmpwZw", "cat.jpg"), ("filename Y2F0LmpwZw=", "cat.jpg"),
      ("filename", ""), ("", nil), ("Filename Y2F0", nil), ("filename /w==", "\u{FFFD}"),
    ] as [(String, String?)])
  func fileNames(_ metadata: String, _ name: String?) throws {
    #expect(try post(("Upload-Length", "1"), ("Upload-Metadata", metadata)).fileName == name)
  }

  @Test(
    "Metadata of another form are refused",
    arguments: [
      "filename cat.jpg", "filename Y2F0L", "filename  Y2F0", "filename Y2F0 Y2F0", ",",
      "filename Y2F0,", "filename Y2F0,filename Y2F0", "filename Y2F0\tx", "ł Y2F0",
      "filename Y2-_",
    ])
  func badMetadata(_ metadata: String) {
    #expect(throws: Tus.Refusal.field("Upload-Metadata")) {
      try post(("Upload-Length", "1"), ("Upload-Metadata", metadata))
    }
  }

  @Test("Bytes have an offset and the right media type")
  func patches() throws {
    func patch(_ type: String?, _ offset: String?, coding: String? = nil) throws -> Int {
      var fields = try fields([version])
      fields[.contentType] = type
      fields[.uploadOffset] = offset
      fields[.contentEncoding] = coding
      return try Tus.offset(fields)
    }
    #expect(try patch("application/offset+octet-stream", "70") == 70)
    #expect(try patch("Application/Offset+Octet-Stream; a=b", "0") == 0)
    for type in [nil, "", "application/octet-stream", "application/offset+octet-streams"] {
      #expect(throws: Tus.Refusal.mediaType) { try patch(type, "0") }
    }
    #expect(throws: Tus.Refusal.mediaType) {
      try patch(Tus.mediaType, "0", coding: "gzip")
    }
    for offset in [nil, "", "-1", "0x0", "9999999999999999999"] {
      #expect(throws: Tus.Refusal.field("Upload-Offset")) { try patch(Tus.mediaType, offset) }
    }
    #expect(try Tus.method("POST", fields([("x-http-method-override", "PATCH")])) == "PATCH")
    #expect(try Tus.method("HEAD", HTTPFields()) == "HEAD")
  }

  @Test("Responses have the fields that the protocol requires")
  func answers() {
    var upload = Upload(
      token: UploadToken.new(), owner: "draft:1", length: 9, fileName: "łapa", offset: 4,
      expires: Date(timeIntervalSince1970: 784_111_777.9))
    func text(_ answer: Response) -> [String] {
      let fields = answer.headers.filter { $0.name != .contentLength }
      return ["\(answer.status.code)"] + fields.map { "\($0.name): \($0.value)" }
    }
    let common = ["Tus-Resumable: 1.0.0", "Cache-Control: no-store"]
    let expires = "Upload-Expires: Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(
      text(Tus.options(limit: 5)) == ["204"] + common + [
        "Tus-Version: 1.0.0", "Tus-Extension: creation,expiration,termination", "Tus-Max-Size: 5",
      ])
    #expect(
      text(Tus.created(upload, location: "/x")) == ["201"] + common + [
        "Upload-Offset: 4", expires, "Location: /x",
      ])
    #expect(
      text(Tus.state(of: upload)) == ["200"] + common + [
        "Upload-Offset: 4", expires, "Upload-Length: 9", "Upload-Metadata: filename xYJhcGE=",
      ])
    #expect(text(Tus.progress(of: upload)) == ["204"] + common + ["Upload-Offset: 4", expires])
    (upload.outcome, upload.offset) = (.confirmed, 9)
    #expect(text(Tus.progress(of: upload)) == ["204"] + common + ["Upload-Offset: 9"])
    let refused = Tus.progress(of: upload, status: .unprocessableContent)
    #expect(text(refused) == ["422"] + common + ["Upload-Offset: 9"])
    #expect(text(Tus.removed) == ["204"] + common)
  }

  @Test("Each failure has its status")
  func failures() {
    let statuses: [(UploadError, Int)] = [
      (.notFound, 404), (.expired, 410), (.tooLarge(limit: 1, actual: 2), 413),
      (.wrongOffset(expected: 7), 409), (.pastLength, 413), (.tooManyOpen(seconds: 9), 429),
      (.busy, 503), (.inUse, 423), (.cut, 409), (.storageFull, 507),
      (.failed(operation: "open", errno: 24), 503), (.failed(operation: "write", errno: 5), 500),
    ]
    for (error, status) in statuses {
      let answer = HTTPFailure(error)
      #expect(answer.status.code == status)
      #expect(
        (answer.headers[.retryAfter] != nil) == [423, 429, 503, 507].contains(status))
      #expect(answer.headers[.uploadOffset] == (error == .wrongOffset(expected: 7) ? "7" : nil))
    }
  }

  @Test(
    "Dates have the format of RFC 9110",
    arguments: [
      (0.0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
    ])
  func dates(_ seconds: TimeInterval, _ text: String) {
    #expect(HTTPDate.text(of: time_t(seconds)) == text)
  }
}
