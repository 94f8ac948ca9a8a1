import Foundation
import TestPictures
import TestPostgres
import Testing

/// Tests of two servers with one database. They share a cache folder for their pictures, too, but no uploads.
@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct SharedUploadsOverHTTPTests {
  private let database: TestDatabase
  private let servers: [ServedPetspot]
  private let photo: Data

  init() throws {
    let database = try TestDatabase()
    let cache = FileManager.default.temporaryDirectory.appending(path: "two-\(UUID().uuidString)")
    servers = try (0..<2).map { _ in
      try ServedPetspot(["--database", database.url], cache: cache)
    }
    self.database = database
    photo = try ServedPetspot.photo("portrait-phone.heic")
  }

  /// The owner and the path of an upload.
  private struct Begun {
    var owner: [String: String]
    var path: String

    func sent(_ fields: [String: String] = [:]) -> [String: String] {
      owner.merging(["Tus-Resumable": "1.0.0"]) { $1 }.merging(fields) { $1 }
    }
  }

  private func begin(
    _ server: ServedPetspot, at path: String, _ owner: [String: String]
  ) async throws -> Begun {
    let begun = Begun(owner: owner, path: path)
    let fields = ["Upload-Length": "\(photo.count)", "Upload-Metadata": "filename cmV4LmpwZw=="]
    let made = try await server.send("POST", path, begun.sent(fields))
    #expect(made.status == 201)
    let location = try #require(made.header("Location").flatMap { URL(string: $0)?.path })
    return Begun(owner: owner, path: location)
  }

  private func patch(
    _ server: ServedPetspot, _ upload: Begun, at offset: Int, _ part: Data
  ) async throws -> Answered {
    let fields = [
      "Upload-Offset": "\(offset)", "Content-Type": "application/offset+octet-stream",
    ]
    return try await server.send("PATCH", upload.path, upload.sent(fields), body: part)
  }

  private func offset(_ server: ServedPetspot, _ upload: Begun) async throws -> Int? {
    try await server.send("HEAD", upload.path, upload.sent()).header("Upload-Offset").flatMap {
      Int($0)
    }
  }

  /// Returns the digest of the photo if it is sent in one request.
  private func wanted() async throws -> String {
    let (id, owner) = try await servers[0].announce(["breed": "Poodle"])
    let whole = try await servers[0].upload(photo, to: id, owner)
    return try #require(whole.json["photoSHA256"] as? String)
  }

  @Test("An upload begins on one server, continues on the other, and ends on the first")
  func goesAround() async throws {
    let (one, other) = (servers[0], servers[1])
    let (id, owner) = try await one.announce()
    let upload = try await begin(one, at: "/api/v1/announcements/\(id)/uploads", owner)
    let third = photo.count / 3
    #expect(try await patch(one, upload, at: 0, photo.prefix(third)).status == 204)
    #expect(try await offset(other, upload) == third)
    let next = photo.dropFirst(third).prefix(third)
    #expect(try await patch(other, upload, at: third, next).status == 204)
    let last = photo.dropFirst(2 * third)
    #expect(try await patch(one, upload, at: third, last).status == 409)
    #expect(try await patch(one, upload, at: 2 * third, last).status == 204)
    // Either server returns the outcome.
    #expect(try await patch(other, upload, at: photo.count, Data()).status == 204)
    let shown = try await other.send("GET", "/api/v1/announcements/\(id)")
    #expect(shown.json["photoSHA256"] as? String == (try await wanted()))
    #expect(!FileManager.default.fileExists(atPath: one.cache.path + "/uploads"))
    #expect(try database.sql("SELECT count(*) FROM upload_piece") == "0")
  }

  @Test("An upload that one server refused is 410 on the other")
  func refused() async throws {
    let (one, other) = (servers[0], servers[1])
    let (id, owner) = try await one.announce()
    let upload = try await begin(one, at: "/api/v1/announcements/\(id)/uploads", owner)
    #expect(try await patch(one, upload, at: 0, Data(count: photo.count)).status == 422)
    let state = try await other.send("HEAD", upload.path, upload.sent())
    #expect(state.status == 410 && state.header("Upload-Error") == "INVALID_PHOTO")
  }

  @Test("Bytes that a killed server had confirmed are continued on the other")
  func survivesAKill() async throws {
    let (one, other) = (servers[0], servers[1])
    let (id, owner) = try await one.announce()
    let upload = try await begin(one, at: "/api/v1/announcements/\(id)/uploads", owner)
    let half = photo.count / 2
    #expect(try await patch(one, upload, at: 0, photo.prefix(half)).status == 204)
    _ = one.end(SIGKILL)
    #expect(try await offset(other, upload) == half)
    #expect(try await patch(other, upload, at: half, photo.dropFirst(half)).status == 204)
    let shown = try await other.send("GET", "/api/v1/announcements/\(id)")
    #expect(shown.json["photoSHA256"] as? String != nil)
  }

  @Test("Both servers at once create one photo of the uploaded bytes", arguments: 0..<3)
  func bothAtOnce(_ round: Int) async throws {
    let (id, owner) = try await servers[0].announce()
    let upload = try await begin(servers[0], at: "/api/v1/announcements/\(id)/uploads", owner)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for server in servers {
        group.addTask {
          // The parts are small, so that the requests interrupt each other many times.
          while true {
            let begin = try await offset(server, upload) ?? 0
            let part = photo.dropFirst(begin).prefix(max(photo.count / 12, 1))
            let answer = try await patch(server, upload, at: begin, part)
            #expect([204, 409, 423].contains(answer.status))
            if answer.status == 204, begin + part.count == photo.count { return }
          }
        }
      }
      try await group.waitForAll()
    }
    let shown = try await servers[1].send("GET", "/api/v1/announcements/\(id)")
    #expect(shown.json["photoSHA256"] as? String == (try await wanted()))
  }

  @Test("A draft's upload continues on the other server, as the page sends it")
  func page() async throws {
    let (one, other) = (servers[0], servers[1])
    let browser = PageBrowser(one)
    _ = try await browser.open("/report/photo")
    let upload = try await begin(
      one, at: "/report/photo/uploads", ["Cookie": browser.headers["Cookie"] ?? ""])
    let half = photo.count / 2
    #expect(try await patch(one, upload, at: 0, photo.prefix(half)).status == 204)
    #expect(try await offset(other, upload) == half)
    let stranger = Begun(owner: [:], path: upload.path)
    #expect(try await other.send("HEAD", stranger.path, stranger.sent()).status == 404)
    #expect(try await patch(other, upload, at: half, photo.dropFirst(half)).status == 204)
    for server in servers {
      let status = try await server.send("GET", "/report/photo/status", browser.headers)
      #expect(status.json["status"] as? String == "confirmed")
    }
  }

  @Test("A client's open uploads on the other server count, too")
  func openPerClient() async throws {
    let (id, owner) = try await servers[0].announce()
    let path = "/api/v1/announcements/\(id)/uploads"
    for number in 0..<8 { _ = try await begin(servers[number % 2], at: path, owner) }
    let fields = ["Tus-Resumable": "1.0.0", "Upload-Length": "1"]
    let ninth = try await servers[1].send("POST", path, owner.merging(fields) { $1 })
    #expect(ninth.status == 429 && ninth.header("Retry-After") != nil)
  }
}
