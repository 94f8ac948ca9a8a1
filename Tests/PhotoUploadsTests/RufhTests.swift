import Foundation
import HTTPTypes
@testable import PhotoAttachments
import Testing

@testable import PhotoUploads

@Suite("Resumable Uploads for HTTP")
struct RufhTests {
  private static let three = Rufh(.three)
  private static let six = Rufh(.six)
  private static let eight = Rufh(.eight)

  private func fields(_ pairs: (HTTPField.Name, String)...) -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs { fields.append(HTTPField(name: name, value: value)) }
    return fields
  }

  @Test("A request has one of four versions, or isn't for this protocol")
  func versions() {
    for (text, version) in [
      ("3", Rufh.Version.three), ("5", .five), ("6", .six), ("8", .eight), (" 8;a=b", .eight),
    ] {
      #expect(Rufh(fields((.uploadDraftInteropVersion, text)))?.version == version)
    }
    for text in ["", "1", "4", "7", "9", "-8", "8.0", "\"8\"", "?1", "8, 8"] {
      #expect(Rufh(fields((.uploadDraftInteropVersion, text))) == nil)
    }
    let twice = fields((.uploadDraftInteropVersion, "8"), (.uploadDraftInteropVersion, "8"))
    #expect(Rufh(twice) == nil && Rufh(HTTPFields()) == nil)
  }

  @Test("The third version has a field for incomplete uploads, the others for complete ones")
  func completeness() throws {
    for (value, isLast) in [("?0", true), ("?1", false)] {
      let creation = try Self.three.creation(fields((.uploadIncomplete, value)), count: 5)
      #expect(creation?.isLast == isLast && creation?.length == (isLast ? 5 : nil))
    }
    for (value, isLast) in [("?1", true), ("?0", false), ("?1;q=1", true)] {
      let creation = try Self.eight.creation(fields((.uploadComplete, value)), count: nil)
      #expect(creation == Rufh.Creation(length: nil, isLast: isLast))
    }
    for value in ["", "1", "true", "?2", "?1, ?1"] {
      #expect(try Self.eight.creation(fields((.uploadComplete, value)), count: 5) == nil)
    }
    #expect(try Self.three.creation(fields((.uploadComplete, "?1")), count: 5) == nil)
    #expect(try Self.eight.creation(fields((.uploadIncomplete, "?0")), count: 5) == nil)
  }

  @Test("A length comes from the body or from a field, and both must agree")
  func lengths() throws {
    func length(_ complete: String, _ named: String?, _ count: Int?) throws -> Int? {
      var request = fields((.uploadComplete, complete))
      request[.uploadLength] = named
      return try Self.eight.creation(request, count: count)?.length
    }
    #expect(try length("?1", nil, 7) == 7)
    #expect(try length("?1", "7", 7) == 7)
    #expect(try length("?1", "7", nil) == 7)
    #expect(try length("?0", "7", 3) == 7)
    #expect(try length("?0", nil, 3) == nil)
    #expect(try length("?1", "-7", nil) == nil)
    #expect(throws: Rufh.Refusal.lengths) { try length("?1", "8", 7) }
    let rest = fields(
      (.uploadComplete, "?1"), (.uploadOffset, "4"), (.contentType, Rufh.mediaType))
    #expect(try Self.eight.addition(rest, count: 3).length == 7)
    #expect(throws: Rufh.Refusal.lengths) { try Self.eight.addition(rest, count: .max) }
  }

  @Test("The file name comes from Content-Disposition")
  func names() throws {
    for (value, name) in [
      ("inline; filename=\"a b.jpg\"", "a b.jpg"),
      ("attachment; filename*=UTF-8''%C5%82apa.jpg", "łapa.jpg"), ("inline", nil),
    ] as [(String, String?)] {
      let request = fields((.uploadComplete, "?1"), (.contentDisposition, value))
      #expect(try Self.eight.creation(request, count: 1)?.fileName == name)
    }
  }

  @Test("Bytes have a media type from the sixth version on, and always an offset")
  func additions() throws {
    let bare = fields((.uploadOffset, "4"))
    #expect(try Self.three.addition(bare, count: 3).isLast)
    #expect(try Rufh(.five).addition(bare, count: 3).length == 7)
    #expect(throws: Rufh.Refusal.mediaType) { try Self.six.addition(bare, count: 3) }
    let typed = fields((.uploadOffset, "4"), (.contentType, "Application/Partial-Upload; a=b"))
    #expect(try Self.six.addition(typed, count: 3).isLast)
    // Only the eighth version requires the field.
    #expect(throws: Rufh.Refusal.field("Upload-Complete")) {
      try Self.eight.addition(typed, count: 3)
    }
    for value in ["", "-1", "x", "1.0", "9999999999999999"] {
      #expect(throws: Rufh.Refusal.field("Upload-Offset")) {
        try Self.three.addition(fields((.uploadOffset, value)), count: 3)
      }
    }
    for name in [HTTPField.Name.uploadOffset, .uploadComplete] {
      #expect(throws: Rufh.Refusal.field(name.rawName)) {
        try Self.six.checkPlain(fields((name, "?1")))
      }
      try Self.eight.checkPlain(fields((name, "?1")))
    }
  }

  @Test("Responses have the offset, the completeness and the limits")
  func answers() throws {
    let now = Date(timeIntervalSince1970: 1000)
    var upload = Upload(
      token: UploadToken.new(), owner: "draft:1", length: 9, fileName: nil, offset: 4,
      expires: now + 60)
    func text(_ fields: HTTPFields) -> [String] {
      fields.map { "\($0.name.rawName): \($0.value)" }.filter { !$0.hasPrefix("Upload-Draft") }
    }
    let limits = UploadLimits()
    let state = ["Cache-Control: no-store", "Upload-Offset: 4"]
    #expect(
      text(Self.three.state(of: upload, limits: limits, at: now)) == state + [
        "Upload-Incomplete: ?1"
      ])
    #expect(
      text(Self.six.state(of: upload, limits: limits, at: now)) == state + [
        "Upload-Complete: ?0", "Upload-Length: 9", "Upload-Limit: max-size=20971520, expires=60",
      ])
    upload.hasLength = false
    #expect(
      text(Self.eight.state(of: upload, limits: limits, at: now)) == state + [
        "Upload-Complete: ?0", "Upload-Limit: max-size=20971520, max-age=60",
      ])
    #expect(
      text(Self.eight.created(upload, location: "/x", limits: limits, at: now)) == [
        "Location: /x", "Upload-Limit: max-size=20971520, max-age=60",
      ])
    upload.outcome = .refused(status: 422, body: [])
    #expect(text(Self.three.final(of: upload)) == ["Cache-Control: no-store"])
    #expect(
      text(Self.eight.final(of: upload)) == ["Cache-Control: no-store", "Upload-Complete: ?1"])
    #expect(text(Self.eight.failed()) == ["Cache-Control: no-store", "Upload-Complete: ?0"])
    #expect(text(Self.six.failed()) == ["Cache-Control: no-store"])
    upload.outcome = .confirmed
    #expect(text(Self.three.final(of: upload)) == state + ["Upload-Incomplete: ?0"])
  }
}
