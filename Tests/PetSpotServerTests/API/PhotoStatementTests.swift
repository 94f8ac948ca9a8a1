import Foundation
import TestPictures
import Testing

@Suite("Facts about a photo in the header of a response")
struct PhotoStatementTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  private func path(_ id: String) -> String { "/api/v1/announcements/\(id)/photos" }

  /// Sends a photo as the body itself, without a form.
  private func send(
    _ photo: Data, to id: String, _ owner: [String: String], by method: String = "POST",
    _ headers: [String: String] = ["Content-Type": "image/jpeg"]
  ) async throws -> Answered {
    try await server.send(method, path(id), owner.merging(headers) { $1 }, body: photo)
  }

  /// Sends a form of parts. Each has a disposition and bytes.
  private func send(
    parts: [(String, Data)], to id: String, _ owner: [String: String], lineEnd: String = "\r\n"
  ) async throws -> Answered {
    var body = Data()
    for (disposition, bytes) in parts {
      let head = ["--b", "Content-Disposition: form-data; \(disposition)", "", ""]
      body += Data(head.joined(separator: lineEnd).utf8) + bytes + Data(lineEnd.utf8)
    }
    return try await send(
      body + Data("--b--\(lineEnd)".utf8), to: id, owner,
      ["Content-Type": "multipart/form-data; boundary=b"])
  }

  @Test(
    "A bare photo is accepted with POST and PUT, and the response describes the stored blob",
    arguments: [("POST", "image/jpeg"), ("PUT", "application/octet-stream")])
  func bare(method: String, type: String) async throws {
    let (id, owner) = try await server.announce()
    let photo = try ServedPetspot.photo("cmyk-adobe.jpg")
    let answer = try await send(photo, to: id, owner, by: method, ["Content-Type": type])
    #expect(answer.status == 201)
    #expect(answer.header("Location") == answer.json["photoUrl"] as? String)
    #expect(answer.header("Photo-State") == "confirmed")
    #expect(answer.header("Photo-Losses")?.split(separator: ", ").contains("cmyk") == true)
    let digits = try #require(answer.json["photoSHA256"] as? String)
    let digest = try #require(answer.header("Repr-Digest")?.wholeMatch(of: /sha-256=:(.+):/)?.1)
    let bytes = try #require(Data(base64Encoded: String(digest)))
    #expect(bytes.map { String(format: "%02x", $0) }.joined() == digits)
  }

  @Test(
    "A partial photo isn't accepted as the whole",
    arguments: [
      ("Upload-Complete", "?0"), ("Upload-Incomplete", "?1"), ("Content-Range", "bytes 0-9/20"),
    ])
  func part(field: String, value: String) async throws {
    let (id, owner) = try await server.announce()
    let photo = try ServedPetspot.photo("baseline-444.jpg")
    let answer = try await send(
      photo, to: id, owner, by: "PUT", ["Content-Type": "image/jpeg", field: value])
    #expect(answer.status == 415)
  }

  @Test("A refusal has its code, however the photo was sent")
  func refusals() async throws {
    let (id, owner) = try await server.announce()
    let text = Data("no photo".utf8)
    let tus = try await server.send(
      "POST", "/api/v1/announcements/\(id)/uploads",
      owner.merging(["Tus-Resumable": "1.0.0", "Upload-Length": "8"]) { $1 }, body: Data())
    let address = try #require(tus.header("Location").flatMap { URL(string: $0)?.path })
    let patch = [
      "Tus-Resumable": "1.0.0", "Upload-Offset": "0",
      "Content-Type": "application/offset+octet-stream",
    ]
    let whole = ["Upload-Complete": "?1", "Upload-Draft-Interop-Version": "8"]
    let answers = [
      try await send(text, to: id, owner), try await server.upload(text, to: id, owner),
      try await server.send("PATCH", address, owner.merging(patch) { $1 }, body: text),
      try await send(text, to: id, owner, whole),
    ]
    for answer in answers {
      #expect(answer.status == 415 && answer.header("Photo-State") == "refused")
      #expect(answer.header("Upload-Error") == "INVALID_PHOTO")
    }
    let large = try await server.send(
      "POST", path(id),
      owner.merging(["Content-Type": "image/png", "Content-Length": "99999999"]) { $1 })
    #expect(large.status == 413 && large.header("Upload-Error") == "PAYLOAD_TOO_LARGE")
    let other = try await send(text, to: id, owner, ["Content-Type": "text/plain"])
    #expect(other.status == 415 && other.header("Upload-Error") == "UNSUPPORTED_MEDIA_TYPE")
  }

  @Test("The response to the last bytes of a tus upload has the facts about the photo")
  func tus() async throws {
    let (id, owner) = try await server.announce()
    let photo = try ServedPetspot.photo("baseline-444.jpg")
    let made = try await server.send(
      "POST", "/api/v1/announcements/\(id)/uploads",
      owner.merging([
        "Tus-Resumable": "1.0.0", "Upload-Length": "\(photo.count)",
        "Upload-Metadata": "filename Y2F0LmpwZw",
      ]) { $1 }, body: Data())
    let address = try #require(made.header("Location").flatMap { URL(string: $0)?.path })
    let done = try await server.send(
      "PATCH", address,
      owner.merging([
        "Tus-Resumable": "1.0.0", "Upload-Offset": "0",
        "Content-Type": "application/offset+octet-stream",
      ]) { $1 }, body: photo)
    #expect(done.status == 204 && done.header("Photo-State") == "confirmed")
    #expect(done.header("Repr-Digest")?.hasPrefix("sha-256=:") == true)
  }

  @Test("If several parts are named photo, the one with a file name is the photo, in any order")
  func namedPart() async throws {
    let (id, owner) = try await server.announce()
    let file = ("name=\"photo\"; filename=\"rex.jpg\"", try ServedPetspot.photo("baseline-444.jpg"))
    let metadata = ("name=\"photo\"", Data("{}".utf8))
    for parts in [[file, metadata], [metadata, file]] {
      let answer = try await send(parts: parts, to: id, owner)
      #expect(answer.status == 201)
      // FilePond uses the body of the response as the photo's ID.
      #expect(answer.header("Content-Type")?.hasPrefix("text/plain") == true)
      let told = String(decoding: answer.body, as: UTF8.self)
      #expect(answer.header("Location")?.hasSuffix("/images/" + told) == true)
    }
    let two = try await send(parts: [file, file], to: id, owner)
    #expect(two.status == 400 && two.code == "MISSING_FILE")
    let unreadable = ("name=\"photo\"; filename*=UTF-8''%F", file.1)
    #expect(try await send(parts: [metadata, unreadable], to: id, owner).status == 201)
  }

  @Test("A form whose lines end with LF alone is refused with that reason")
  func lineFeeds() async throws {
    let (id, owner) = try await server.announce()
    let part = ("name=\"photo\"; filename=\"a\"", try ServedPetspot.photo("baseline-444.jpg"))
    let answer = try await send(parts: [part], to: id, owner, lineEnd: "\n")
    #expect(answer.status == 400 && answer.code == "INVALID_MULTIPART")
    #expect((answer.error["message"] as? String)?.contains("CR LF") == true)
  }

  @Test("A photo that is sent again with the same key or name isn't stored again")
  func again() async throws {
    let (id, owner) = try await server.announce()
    let one = try ServedPetspot.photo("baseline-444.jpg")
    let other = try ServedPetspot.photo("color-key.png")
    let key = ["Idempotency-Key": "a-key-of-sixteen", "Content-Type": "image/jpeg"]
    let first = try await send(one, to: id, owner, key)
    let second = try await send(one, to: id, owner, key)
    #expect(second.status == 201)
    for name in ["Location", "Repr-Digest", "Photo-State"] {
      #expect(first.header(name) != nil && first.header(name) == second.header(name))
    }
    let later = try await send(other, to: id, owner)
    let third = try await send(one, to: id, owner, key)
    #expect(later.status == 201 && third.status == 201)
    for name in ["Location", "Repr-Digest", "Photo-State"] {
      #expect(third.header(name) == first.header(name))
    }
    #expect(third.header("Repr-Digest") != later.header("Repr-Digest"))
    let mismatch = try await send(other, to: id, owner, key)
    #expect(mismatch.status == 422 && mismatch.code == "IDEMPOTENCY_MISMATCH")

    func named(_ name: String, _ photo: Data) async throws -> String? {
      let headers = [
        "Content-Type": "image/jpeg", "Content-Disposition": "attachment; filename=\"\(name)\"",
      ]
      return try await send(photo, to: id, owner, headers).header("Location")
    }
    let address = try await named("rex.jpg", one)
    #expect(try await named("rex.jpg", one) == address)
    #expect(try await named("max.jpg", one) != address)
    #expect(try await named("max.jpg", other) != address)
  }
}
