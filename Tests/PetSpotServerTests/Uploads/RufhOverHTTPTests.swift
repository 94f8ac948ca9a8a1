import Foundation
import TestPictures
import TestPostgres
import Testing

@Suite("Resumable Uploads for HTTP")
struct RufhOverHTTPTests {
  private static let versions = [3, 5, 6, 8]

  /// Returns a client's fields for each request of a version, optionally with the mark of the last bytes.
  private func fields(
    _ version: Int, _ owner: [String: String], isLast: Bool? = nil
  ) -> [String: String] {
    var fields = owner
    fields["Upload-Draft-Interop-Version"] = "\(version)"
    if let isLast {
      fields[version == 3 ? "Upload-Incomplete" : "Upload-Complete"] =
        isLast == (version == 3) ? "?0" : "?1"
      if version >= 6 { fields["Content-Type"] = "application/partial-upload" }
    }
    return fields
  }

  private func isComplete(_ version: Int, _ answer: Answered) -> Bool {
    version == 3
      ? answer.header("Upload-Incomplete") == "?0" : answer.header("Upload-Complete") == "?1"
  }

  /// Sends the first half of a photo, breaks the connection, and continues on another server.
  private func goesOn(
    _ version: Int, from one: ServedPetspot, at other: () throws -> ServedPetspot
  ) async throws {
    let photo = try ServedPetspot.photo("portrait-phone.heic")
    let half = photo.count / 2
    let (id, owner) = try await one.announce()
    let begun = try await one.sendPart(
      "POST", "/api/v1/announcements/\(id)/photos", fields(version, owner, isLast: true),
      length: photo.count, photo.prefix(half))
    #expect(begun.status == 104)
    #expect(begun.header("Upload-Draft-Interop-Version") == "\(version)")
    #expect((begun.header("Upload-Limit") != nil) == (version >= 6))
    let path = try #require(begun.header("Location").flatMap { URL(string: $0)?.path })
    let first = try await one.send("HEAD", path, fields(version, owner))
    // Bytes that didn't arrive before the break are sent again, and those are confirmed.
    let arrived = try #require(first.header("Upload-Offset").flatMap { Int($0) })
    #expect((0...half).contains(arrived))
    if arrived < half {
      var more = fields(version, owner, isLast: false)
      more["Upload-Offset"] = "\(arrived)"
      let appended = try await one.send("PATCH", path, more, body: photo[arrived..<half])
      #expect((200..<300).contains(appended.status), "\(appended.status)")
    }
    _ = one.end(SIGKILL)
    let server = try other()
    let state = try await server.send("HEAD", path, fields(version, owner))
    #expect(state.status == 204 && !isComplete(version, state))
    #expect(state.header("Upload-Offset") == "\(half)")
    var rest = fields(version, owner, isLast: true)
    rest["Upload-Offset"] = "\(half)"
    let last = try await server.send("PATCH", path, rest, body: photo.dropFirst(half))
    #expect(last.status == 201 && isComplete(version, last))
    let (whole, wholeOwner) = try await server.announce(["breed": "Poodle"])
    let form = try await server.upload(photo, to: whole, wholeOwner)
    #expect(last.json["photoSHA256"] as? String == form.json["photoSHA256"] as? String)
    #expect(isComplete(version, try await server.send("HEAD", path, fields(version, owner))))
  }

  @Test(
    "An upload continues after the connection broke and the server was killed", arguments: versions)
  func folder(_ version: Int) async throws {
    let cache = FileManager.default.temporaryDirectory.appending(path: "rufh-\(UUID().uuidString)")
    let one = try ServedPetspot(cache: cache)
    try await goesOn(version, from: one) {
      // The cache is deleted with the object, so the next server uses a copy.
      let kept = cache.path + "-kept"
      try FileManager.default.copyItem(atPath: cache.path, toPath: kept)
      return try ServedPetspot(cache: URL(filePath: kept))
    }
  }

  @Test(
    "With a database, an upload continues on another server",
    .enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)),
    arguments: versions)
  func database(_ version: Int) async throws {
    let database = try TestDatabase()
    let cache = FileManager.default.temporaryDirectory.appending(path: "rufh-\(UUID().uuidString)")
    let one = try ServedPetspot(["--database", database.url], cache: cache)
    try await goesOn(version, from: one) {
      try ServedPetspot(["--database", database.url], cache: cache)
    }
  }

  @Test("A browser's draft accepts a photo, too")
  func draft() async throws {
    let server = try ServedPetspot()
    let browser = PageBrowser(server)
    _ = try await browser.open("/report/photo")
    let photo = try ServedPetspot.photo("gps-exif.jpg")
    let made = try await server.send(
      "POST", "/report/photo/uploads", fields(8, browser.headers, isLast: true), body: photo)
    #expect(made.status == 201 && isComplete(8, made))
    #expect(made.json["status"] as? String == "confirmed")
  }

  @Test("A refused upload is never complete, and unsupported versions get no upload")
  func refusals() async throws {
    let server = try ServedPetspot()
    let (id, owner) = try await server.announce()
    let path = "/api/v1/announcements/\(id)/photos"
    let answer = try await server.send(
      "POST", path, fields(8, owner, isLast: true), body: Data(repeating: 65, count: 100))
    #expect(answer.status == 415 && answer.code == "INVALID_PHOTO")
    let place = try #require(answer.header("Location").flatMap { URL(string: $0)?.path })
    let state = try await server.send("HEAD", place, fields(8, owner))
    #expect(state.status == 410 && state.header("Upload-Error") == "INVALID_PHOTO")
    #expect(!isComplete(8, state) && state.header("Upload-Offset") == nil)
    let other = try await server.send(
      "POST", path, fields(7, owner, isLast: true), body: Data(count: 100))
    #expect(other.status == 415 && other.interim.isEmpty)
  }
}
