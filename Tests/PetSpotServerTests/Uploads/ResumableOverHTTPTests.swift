import Foundation
import TestPictures
import Testing

@Suite("Uploads with tus over HTTP")
struct ResumableOverHTTPTests {
  private static let tus = ["Tus-Resumable": "1.0.0"]

  private func create(
    _ server: ServedPetspot, _ id: String, _ owner: [String: String], length: Int
  ) async throws -> Answered {
    try await server.send(
      "POST", "/api/v1/announcements/\(id)/uploads",
      owner.merging(Self.tus) { a, _ in a }.merging([
        "Upload-Length": String(length), "Upload-Metadata": "filename cmV4LmpwZw==",
      ]) { a, _ in a })
  }

  private func patch(
    _ server: ServedPetspot, _ path: String, _ owner: [String: String], at offset: Int, _ part: Data
  ) async throws -> Answered {
    try await server.send(
      "PATCH", path,
      owner.merging(Self.tus) { a, _ in a }.merging([
        "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream",
      ]) { a, _ in a }, body: part)
  }

  @Test(
    "An upload continues after the server was killed, and gives the photo that one request gives")
  func survivesAKill() async throws {
    let cache = FileManager.default.temporaryDirectory.appending(path: "tus-\(UUID().uuidString)")
    let photo = try ServedPetspot.photo("portrait-phone.heic")
    var server = try ServedPetspot(cache: cache)
    let (id, owner) = try await server.announce()
    let made = try await create(server, id, owner, length: photo.count)
    #expect(made.status == 201)
    let path = try #require(
      made.header("Location").flatMap { URL(string: $0)?.path })
    let half = photo.count / 2
    #expect(try await patch(server, path, owner, at: 0, photo.prefix(half)).status == 204)
    let kept = cache.path + "-kept"
    _ = server.end(SIGKILL)
    // The cache is deleted with the object, so the next server uses a copy.
    try FileManager.default.copyItem(atPath: cache.path, toPath: kept)
    server = try ServedPetspot(cache: URL(filePath: kept))
    let state = try await server.send("HEAD", path, owner.merging(Self.tus) { a, _ in a })
    #expect(state.header("Upload-Offset") == String(half))
    #expect(try await patch(server, path, owner, at: half + 1, photo.suffix(3)).status == 409)
    let last = try await patch(server, path, owner, at: half, photo.dropFirst(half))
    #expect(last.status == 204)
    let byPieces = try await server.send("GET", "/api/v1/announcements/\(id)")
    let (other, otherOwner) = try await server.announce(["breed": "Poodle"])
    let whole = try await server.upload(photo, to: other, otherOwner)
    #expect(byPieces.json["photoSHA256"] as? String == whole.json["photoSHA256"] as? String)
  }

  /// Begins an upload of a truncated photo, and sends it except for its last bytes.
  ///
  /// - Parameter missing: the number of last bytes to leave out; 0 sends nothing.
  private func cutPhoto(
    _ server: ServedPetspot, sending missing: Int
  ) async throws -> (path: String, fields: [String: String], bytes: Data) {
    let (id, owner) = try await server.announce()
    let bytes = try ServedPetspot.photo("baseline-444.jpg").prefix(700)
    let made = try await create(server, id, owner, length: bytes.count)
    let path = try #require(made.header("Location").flatMap { URL(string: $0)?.path })
    if missing > 0 {
      let answer = try await patch(server, path, owner, at: 0, bytes.dropLast(missing))
      #expect(answer.status == 204)
    }
    return (path, owner.merging(Self.tus) { $1 }, bytes)
  }

  @Test("A refused upload never looks complete: HEAD returns 410 with the refusal's code")
  func refusedHead() async throws {
    let server = try ServedPetspot()
    let (path, fields, bytes) = try await cutPhoto(server, sending: 0)
    let body = fields.merging([
      "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream",
    ]) { $1 }
    #expect(try await server.send("PATCH", path, body, body: bytes).status == 422)
    let state = try await server.send("HEAD", path, fields)
    #expect(state.status == 410 && state.header("Upload-Error") == "INVALID_PHOTO")
    #expect(state.header("Upload-Offset") == nil && state.header("Tus-Resumable") == "1.0.0")
    let means = fields.merging(["X-HTTP-Method-Override": "HEAD"]) { $1 }
    let told = try await server.send("POST", path, means, body: Data())
    #expect(told.status == 410 && told.code == "INVALID_PHOTO")
    #expect(try await server.send("DELETE", path, fields).status == 204)
    let gone = try await server.send("HEAD", path, fields)
    #expect(gone.status == 404 && gone.header("Upload-Error") == nil)
  }

  @Test("HEAD processes a complete photo, and waits 20 seconds if another process does so")
  func waitingHead() async throws {
    let server = try ServedPetspot()
    let (path, fields, bytes) = try await cutPhoto(server, sending: 1)
    let token = try #require(path.split(separator: "/").last)
    // Another process leaves this state if it has the last byte and is processing the photo.
    let file = try FileHandle(
      forUpdating: server.cache.appending(path: "uploads/\(token)"))
    try file.seekToEnd()
    try file.write(contentsOf: bytes.suffix(1))
    #expect(flock(file.fileDescriptor, LOCK_EX) == 0)
    let (clock, start) = (ContinuousClock(), ContinuousClock.now)
    let waited = try await server.send("HEAD", path, fields)
    #expect(waited.status == 503 && waited.header("Retry-After") != nil)
    #expect(clock.now - start >= .seconds(19) && clock.now - start < .seconds(40))
    // A program that another test starts at this moment may inherit the file, so unlock explicitly.
    #expect(flock(file.fileDescriptor, LOCK_UN) == 0)
    try file.close()
    let state = try await server.send("HEAD", path, fields)
    #expect(state.status == 410 && state.header("Upload-Error") == "INVALID_PHOTO")
  }

  @Test(
    "A client that can send only POST names the method in a header (tus 1.0.0, X-HTTP-Method-Override)"
  )
  func methodOverride() async throws {
    let server = try ServedPetspot()
    let (id, owner) = try await server.announce()
    let photo = try ServedPetspot.photo("gps-exif.jpg")
    let made = try await create(server, id, owner, length: photo.count)
    let path = try #require(made.header("Location").flatMap { URL(string: $0)?.path })
    func meaning(
      _ method: String, _ more: [String: String] = [:], body: Data = Data()
    ) async throws -> Answered {
      let headers = owner.merging(Self.tus) { a, _ in a }.merging(more) { _, b in b }
      return try await server.send(
        "POST", path, headers.merging(["X-HTTP-Method-Override": method]) { a, _ in a }, body: body)
    }
    let bytes = ["Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"]
    #expect(try await meaning("HEAD").header("Upload-Offset") == "0")
    #expect(try await meaning("PATCH", bytes, body: photo).status == 204)
    #expect(try await meaning("HEAD").header("Upload-Offset") == String(photo.count))
    #expect(try await server.send("GET", "/api/v1/announcements/\(id)").json["photoUrl"] != nil)
    #expect(try await meaning("DELETE").status == 204)
    #expect(try await meaning("PUT").status == 405)
    #expect(try await meaning("a b").status == 400)
    // The header has no effect on other paths.
    let other = try await server.send(
      "GET", "/api/v1/announcements/\(id)",
      owner.merging(["X-HTTP-Method-Override": "DELETE"]) { a, _ in a })
    #expect(other.status == 200)
    #expect(try await server.send("GET", "/api/v1/announcements/\(id)").status == 200)
  }

  @Test(
    "Another client's upload looks like one that doesn't exist, and non-tus requests are reported")
  func refusals() async throws {
    let server = try ServedPetspot()
    let (id, owner) = try await server.announce()
    let (other, stranger) = try await server.announce()
    let made = try await create(server, id, owner, length: 100)
    let token = try #require(made.header("Location")?.split(separator: "/").last)
    let strangers = "/api/v1/announcements/\(other)/uploads/\(token)"
    #expect(
      try await server.send("HEAD", strangers, stranger.merging(Self.tus) { a, _ in a }).status
        == 404)
    #expect(try await create(server, id, owner, length: 30 << 20).status == 413)
    let path = "/api/v1/announcements/\(id)/uploads/\(token)"
    #expect(try await server.send("HEAD", path, owner).status == 412)
    let typed = try await server.send(
      "PATCH", path,
      owner.merging(Self.tus) { a, _ in a }.merging([
        "Upload-Offset": "0", "Content-Type": "image/jpeg",
      ]) { a, _ in a }, body: Data([1]))
    #expect(typed.status == 415)
    #expect(try await patch(server, path, owner, at: 0, Data(count: 101)).status == 413)
    let spoken = try await server.send("OPTIONS", "/api/v1/announcements/\(id)/uploads")
    #expect(spoken.status == 204 && spoken.header("Tus-Version") == "1.0.0")
    let refused = try await patch(server, path, owner, at: 0, Data(repeating: 65, count: 100))
    #expect(refused.status == 415 && refused.code == "INVALID_PHOTO")
    // A repeat gets the same result, without processing the photo again.
    #expect(try await patch(server, path, owner, at: 100, Data()).status == 415)
    #expect(
      try await server.send("DELETE", path, owner.merging(Self.tus) { a, _ in a }).status == 204)
    for _ in 0..<8 { _ = try await create(server, id, owner, length: 100) }
    let ninth = try await create(server, id, owner, length: 100)
    #expect(ninth.status == 429 && ninth.header("Retry-After") != nil)
  }
}
