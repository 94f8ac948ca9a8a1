import Foundation
import Testing

/// Tests of `Tests/Examples/UploadHost` over HTTP.
@Suite("Uploads to a host's own server")
struct HostUploadsTests {
  private let folder = HostFolder()
  private let host: UploadHost
  private let photo: Data
  private static let owner = ["Authorization": "ola"]
  private static let path = "/pets/rex/photo"

  init() throws {
    host = try UploadHost(folder.url)
    photo = try ServedPetspot.photo("portrait-phone.heic")
  }

  private func send(
    _ method: String, _ path: String = path, _ headers: [String: String] = [:], body: Data? = nil
  ) async throws -> Answered {
    try await host.send(method, path, headers.merging(Self.owner) { own, _ in own }, body: body)
  }

  private static let named = ["Content-Disposition": "attachment; filename=\"IMG_1.HEIC\""]

  @Test("Headers state the result, and a repeated request gets the same ones")
  func repeated() async throws {
    let first = try await send("PUT", Self.path, Self.named, body: photo)
    #expect(first.status == 201 && first.body.isEmpty)
    #expect(first.header("Location") == Self.path)
    #expect(first.header("Photo-State") == "confirmed")
    let again = try await send("PUT", Self.path, Self.named, body: photo)
    let form =
      Data(
        "--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"IMG_1.HEIC\"\r\n\r\n"
          .utf8)
      + photo + Data("\r\n--b--\r\n".utf8)
    let posted = try await send(
      "POST", Self.path, ["Content-Type": "multipart/form-data; boundary=b"], body: form)
    let digest = try #require(first.header("Repr-Digest"))
    for answer in [again, posted] {
      #expect(answer.status == 201 && answer.header("Repr-Digest") == digest)
      #expect(answer.header("Location") == Self.path)
    }
    let shown = try await send("GET")
    #expect(digest == shown.body.digestField)
  }

  @Test("A picture is served with ranges, an entity tag, its type and its length")
  func served() async throws {
    #expect(try await send("GET").status == 404)
    #expect(try await send("PUT", Self.path, body: photo).status == 201)
    let whole = try await send("GET")
    let tag = try #require(whole.header("ETag"))
    #expect(whole.status == 200 && whole.header("Content-Type") == "image/jpeg")
    #expect(whole.header("Content-Length") == String(whole.body.count))
    #expect(whole.header("Accept-Ranges") == "bytes")

    let part = try await send("GET", Self.path, ["Range": "bytes=100-299"])
    #expect(part.status == 206 && part.body == whole.body.dropFirst(100).prefix(200))
    #expect(part.header("Content-Range") == "bytes 100-299/\(whole.body.count)")
    let beyond = try await send("GET", Self.path, ["Range": "bytes=\(whole.body.count)-"])
    #expect(beyond.status == 416 && beyond.header("Content-Range") == "bytes */\(whole.body.count)")
    let several = try await send("GET", Self.path, ["Range": "bytes=0-1,4-5"])
    #expect(several.status == 200 && several.body == whole.body)
    let other = try await send("GET", Self.path, ["Range": "bytes=0-1", "If-Range": "\"other\""])
    #expect(other.status == 200 && other.body == whole.body)

    let known = try await send("GET", Self.path, ["If-None-Match": tag, "Range": "bytes=0-1"])
    #expect(known.status == 304 && known.body.isEmpty && known.header("ETag") == tag)
    let head = try await send("HEAD", Self.path, ["Range": "bytes=0-1"])
    #expect(head.status == 200 && head.body.isEmpty && head.header("ETag") == tag)
    #expect(head.header("Content-Length") == String(whole.body.count))

    let small = try await send("GET", Self.path + "?size=320")
    #expect(small.status == 200 && small.header("Content-Type") == "image/webp")
    #expect(small.body.count < whole.body.count && small.header("ETag") != tag)
    #expect(try await send("GET", Self.path + "?size=300").body == small.body)

    #expect(try await send("DELETE").status == 204)
    #expect(try await send("GET").status == 404)
    #expect(try await send("GET", Self.path + "?size=320").status == 404)
  }

  @Test("The host's authorization comes first, and keys are apart")
  func authorized() async throws {
    #expect(try await host.send("PUT", Self.path, body: photo).status == 401)
    #expect(try await send("PUT", Self.path, body: photo).status == 201)
    #expect(try await host.send("GET", Self.path, ["Authorization": "eve"]).status == 404)
    #expect(try await send("GET", "/keys").body == Data("ola/rex".utf8))
  }

  @Test("A refusal states its reason in headers and as JSON")
  func refused() async throws {
    let text = try await send("PUT", Self.path, body: Data("no photo".utf8))
    #expect(text.status == 415 && text.header("Photo-State") == "refused")
    #expect(text.header("Upload-Error") == "INVALID_PHOTO")
    #expect(text.error["reason"] as? String == "unsupported-format")
    // The server responds before the body arrives.
    let large = try await send("PUT", Self.path, ["Content-Length": String(21 << 20)])
    #expect(large.status == 413 && large.header("Upload-Error") == "PAYLOAD_TOO_LARGE")
    #expect(
      try await send("POST", Self.path, ["Content-Type": "text/plain"], body: photo).status == 415)
  }

  @Test("Apple's resumable uploads continue after a broken connection")
  func resumable() async throws {
    let version = ["Upload-Draft-Interop-Version": "8"]
    let half = photo.count / 2
    let begun = try await host.sendPart(
      "PUT", Self.path,
      version.merging(["Upload-Complete": "?1"]) { a, _ in a }.merging(Self.owner) { a, _ in a },
      length: photo.count, photo.prefix(half))
    #expect(begun.status == 104)
    let upload = try #require(begun.header("Location"))
    #expect(upload.hasPrefix(Self.path + "/"))
    let state = try await send("HEAD", upload, version)
    #expect(state.status == 204 && state.header("Upload-Complete") == "?0")
    let offset = try #require(state.header("Upload-Offset").flatMap { Int($0) })
    let rest = version.merging([
      "Upload-Complete": "?1", "Upload-Offset": String(offset),
      "Content-Type": "application/partial-upload",
    ]) { a, _ in a }
    let done = try await send("PATCH", upload, rest, body: photo.dropFirst(offset))
    #expect(done.status == 201 && done.header("Photo-State") == "confirmed")
    #expect(done.header("Location") == Self.path && done.header("Repr-Digest") != nil)
    #expect(try await send("GET").status == 200)
    #expect(
      try await host.send("HEAD", upload, version.merging(["Authorization": "eve"]) { a, _ in a })
        .status == 404)
  }

  @Test("tus 1.0.0 creates, continues, deletes and expires")
  func tus() async throws {
    let version = ["Tus-Resumable": "1.0.0"]
    let options = try await send("OPTIONS")
    #expect(options.header("Tus-Extension") == "creation,expiration,termination")
    #expect(options.header("Allow") == "OPTIONS, POST, PUT")
    let created = try await send(
      "POST", Self.path, version.merging(["Upload-Length": String(photo.count)]) { a, _ in a })
    let upload = try #require(created.header("Location"))
    #expect(created.status == 201 && created.header("Upload-Expires") != nil)
    let bytes = version.merging(["Content-Type": "application/offset+octet-stream"]) { a, _ in a }
    let first = try await send(
      "PATCH", upload, bytes.merging(["Upload-Offset": "0"]) { a, _ in a }, body: photo.prefix(1000)
    )
    #expect(first.status == 204 && first.header("Upload-Offset") == "1000")
    let wrong = try await send(
      "PATCH", upload, bytes.merging(["Upload-Offset": "7"]) { a, _ in a }, body: photo)
    #expect(wrong.status == 409 && wrong.header("Upload-Offset") == "1000")
    let last = try await send(
      "POST", upload,
      bytes.merging(["Upload-Offset": "1000", "X-HTTP-Method-Override": "PATCH"]) { a, _ in a },
      body: photo.dropFirst(1000))
    #expect(last.status == 204 && last.header("Photo-State") == "confirmed")
    #expect(try await send("DELETE", upload, version).status == 204)
    #expect(try await send("HEAD", upload, version).status == 404)
  }

  @Test("A client has a limited number of unfinished uploads")
  func unfinished() async throws {
    let fields = ["Tus-Resumable": "1.0.0", "Upload-Length": "1000"]
    for _ in 0..<8 { #expect(try await send("POST", Self.path, fields).status == 201) }
    let surplus = try await send("POST", Self.path, fields)
    #expect(surplus.status == 429 && surplus.header("Retry-After") != nil)
    let other = fields.merging(["Authorization": "eve"]) { a, _ in a }
    #expect(try await host.send("POST", Self.path, other).status == 201)
  }
}
