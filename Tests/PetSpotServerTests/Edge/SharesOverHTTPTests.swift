import Foundation
import TestPictures
import Testing

@Suite("Shares over HTTP")
struct SharesOverHTTPTests {
  @Test("A client's changes are limited like its new announcements")
  func changes() async throws {
    let server = try ServedPetspot()
    let (id, owner) = try await server.announce()
    let headers = owner.merging(["Content-Type": "application/json"]) { a, _ in a }
    /// Returns the number of changes that are accepted until one is refused.
    func changes() async throws -> Int {
      for number in 0..<400 {
        let body = Data(#"{"petName": "Rex \#(number)"}"#.utf8)
        let answer = try await server.send(
          "PATCH", "/api/v1/announcements/\(id)", headers, body: body)
        if answer.status == 200 { continue }
        #expect(answer.status == 429 && answer.header("Retry-After") != nil)
        return number
      }
      return 400
    }
    let begin = ContinuousClock.now
    let count = try await changes()
    #expect(60...62 + Int((.now - begin) / .seconds(1)) ~= count)
    #expect(try await changes() < 60)
    #expect(
      try await server.send("DELETE", "/api/v1/announcements/\(id)?erase=true", owner).status
        == 429)
    _ = try await changes()
    #expect(
      try await server.upload(ServedPetspot.photo("portrait-phone.heic"), to: id, owner).status
        == 429)
    #expect(try await server.send("GET", "/api/v1/announcements/\(id)").status == 200)
  }

  @Test("With low space, nothing new is stored, but stored data can be shown and deleted")
  func lowSpace() async throws {
    let cache = FileManager.default.temporaryDirectory.appending(path: "low-\(UUID().uuidString)")
    let before = try ServedPetspot(cache: cache)
    // The folder is deleted when this object is released.
    defer { withExtendedLifetime(before) {} }
    let (id, owner) = try await before.announce()
    let photo = try ServedPetspot.photo("portrait-phone.heic")
    let shown = try await before.upload(photo, to: id, owner)
    #expect(shown.status == 201)
    #expect(try await before.send("GET", "/api/health").json["space"] == nil)
    #expect(before.end() == 0)
    let server = try ServedPetspot(["--keep-free", "1000TB"], cache: cache)
    let health = try await server.send("GET", "/api/health")
    #expect(health.status == 200 && health.json["space"] as? String == "low")
    #expect(try await server.upload(photo, to: id, owner).status == 507)
    let report = try await server.post("/api/v1/announcements", json: ServedPetspot.report)
    #expect(report.status == 507 && report.code == "STORAGE_FULL")
    #expect(report.header("Retry-After") == "3600")
    let upload = try await server.send(
      "POST", "/api/v1/announcements/\(id)/uploads",
      owner.merging(["Tus-Resumable": "1.0.0", "Upload-Length": "1000"]) { a, _ in a })
    #expect(upload.status == 507)
    let path = try #require(
      (shown.json["photoUrl"] as? String).flatMap { URL(string: $0)?.path })
    #expect(try await server.send("GET", path).status == 200)
    #expect(
      try await server.send("DELETE", "/api/v1/announcements/\(id)?erase=true", owner).status
        == 204)
  }
}
