import Announcements
import Foundation
import TestPictures
import Testing

@Suite("Announcements over HTTP")
struct AnnouncementsOverHTTPTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  @Test("A report becomes an announcement, which is listed once it has a photo")
  func wholeWay() async throws {
    let (id, owner) = try await server.announce()
    #expect(
      try await server.send("GET", "/api/v1/announcements").json["announcements"] as? [String] == []
    )
    let shown = try await server.upload(
      try ServedPetspot.photo("portrait-phone.heic"), to: id, owner)
    #expect(shown.status == 201)
    let address = try #require(shown.json["photoUrl"] as? String)
    let picture = try await server.send("GET", address)
    #expect(picture.status == 200 && picture.header("Content-Type") == "image/jpeg")
    #expect(picture.header("Cache-Control") == "public, max-age=300, must-revalidate")
    let tag = try #require(picture.header("ETag"))
    #expect(
      try await server.send("GET", address, ["If-None-Match": "\"x\", W/\(tag)"]).status == 304)
    let preview = try await server.send("GET", address + "-preview")
    #expect(preview.status == 200 && preview.body.count < picture.body.count)
    let list = try await server.send("GET", "/api/v1/announcements?lat=52.2&lng=21.0")
    let items = try #require(list.json["announcements"] as? [[String: Any]])
    #expect(items.count == 1 && items[0]["id"] as? String == id)
    #expect((items[0]["distanceKm"] as? Double ?? 0) > 3)
    for secret in ["email", "microchipNumber", "managementPassword"] {
      #expect(items[0][secret] == nil)
    }
    #expect(try await server.send("DELETE", "/api/v1/announcements/\(id)", owner).status == 204)
    let closed = try await server.send("GET", "/api/v1/announcements/\(id)")
    #expect(closed.status == 410 && closed.code == "CLOSED")
    #expect(try await server.send("GET", address).status == 404)
  }

  @Test(
    "A repeat with the same key and body returns the announcement and its password; another body fails"
  )
  func idempotency() async throws {
    let key = ["Idempotency-Key": "a-key-of-mine-16"]
    let first = try await server.post("/api/v1/announcements", json: ServedPetspot.report, key)
    let second = try await server.post("/api/v1/announcements", json: ServedPetspot.report, key)
    #expect(first.status == 201 && second.status == 201)
    for member in ["id", "managementPassword"] {
      #expect(first.json[member] as? String == second.json[member] as? String)
    }
    let other = ServedPetspot.report.merging(["breed": "Poodle"]) { _, new in new }
    let third = try await server.post("/api/v1/announcements", json: other, key)
    #expect(third.status == 422 && third.code == "IDEMPOTENCY_MISMATCH")
    for bad in ["two words of a key", "a-key-of-mine-5"] {
      let answer = try await server.post(
        "/api/v1/announcements", json: ServedPetspot.report, ["Idempotency-Key": bad])
      #expect(answer.status == 400 && answer.code == "INVALID_FORMAT")
    }
  }

  @Test("The place in words is the location's address, whichever of the two was sent")
  func placeInWords() async throws {
    func announce(_ near: String?, _ address: String?) async throws -> Answered {
      var place: [String: Any] = ["latitude": 52.2297, "longitude": 21.0122]
      place["address"] = address
      var report: [String: Any] = ServedPetspot.report.merging(["location": place]) { $1 }
      report["near"] = near
      return try await server.post("/api/v1/announcements", json: report)
    }
    let long = String(repeating: "Mokotów ", count: 20)
    for (near, address) in [("Wola", nil), (nil, "Wola"), ("Wola", "Wola"), (nil, long)] {
      let made = try await announce(near, address)
      #expect(made.status == 201, "\(made.json)")
      let place = made.json["location"] as? [String: Any]
      let words = (near ?? address)?.trimmingCharacters(in: .whitespaces)
      #expect(place?["address"] as? String == words)
      #expect(made.json["near"] as? String == (address == long ? nil : "Wola"))
    }
    for (near, address) in [("Wola", "Praga"), (nil, long + long)] {
      let refused = try await announce(near, address)
      #expect(
        refused.status == 400 && refused.error["field"] as? String == "location.address",
        "\(refused.json)")
    }
  }

  @Test("Every invalid field is named")
  func invalidFields() async throws {
    let answer = try await server.post(
      "/api/v1/announcements",
      json: ["species": "dragon", "ownerName": " ", "age": 41, "sex": 1, "colour": "red"])
    #expect(answer.status == 400)
    let errors = try #require(answer.json["errors"] as? [[String: Any]])
    let told = errors.map { "\($0["field"] ?? "") \($0["code"] ?? "")" }
    #expect(
      told == [
        "ownerName MISSING_VALUE", "ownerPhone MISSING_VALUE", "species INVALID_FORMAT",
        "breed MISSING_VALUE", "sex INVALID_FORMAT", "age INVALID_FORMAT",
        "dateOfDisappearance MISSING_VALUE", "colour INVALID_FIELD",
      ])
    #expect(answer.error["requestId"] as? String == answer.header("request-id"))
  }

  @Test("A day in the future and a photo that isn't base64 are named, on creation and on change")
  func otherFields() async throws {
    func fields(_ answer: Answered) -> [String] {
      (answer.json["errors"] as? [[String: Any]] ?? []).compactMap { $0["field"] as? String }
    }
    let wrong: [String: Any] = ["dateOfDisappearance": "2999-01-01", "age": 41]
    let made = try await server.post(
      "/api/v1/announcements", json: ServedPetspot.report.merging(wrong) { $1 })
    #expect(made.status == 400 && fields(made) == ["age", "dateOfDisappearance"])
    for photo in ["no base64!", String(repeating: "ł ", count: 5000)] {
      let body = ServedPetspot.report.merging(wrong) { $1 }.merging(["photo": photo]) { $1 }
      let answer = try await server.post("/api/announcements", json: body)
      #expect(answer.status == 400 && fields(answer) == ["age", "dateOfDisappearance", "photo"])
    }
    let (id, owner) = try await server.announce()
    let changed = try await server.send(
      "PATCH", "/api/v1/announcements/\(id)",
      owner.merging(["Content-Type": "application/json"]) { $1 },
      body: try JSONSerialization.data(withJSONObject: wrong.merging(["breed": ""]) { $1 }))
    #expect(changed.status == 400)
    #expect(fields(changed) == ["breed", "age", "dateOfDisappearance"])
  }

  @Test(
    "An invalid query is refused with the name of its parameter",
    arguments: [
      ("lat=NaN&lng=1", "lat"), ("lat=1e400&lng=1", "lat"), ("lat=50abc&lng=1", "lat"),
      ("lat=50", "lng"), ("lng=50", "lat"), ("limit=-1", "limit"), ("limit=0", "limit"),
      ("limit=101", "limit"), ("sort=newest", "sort"), ("sort=distanceFromUser", "sort"),
      ("limit=5&limit=6", "limit"), ("lat=91&lng=0", "lat"), ("range=0", "range"),
      ("lat=%D9%A3&lng=1", "lat"),
    ])
  func wrongQuery(_ query: String, _ field: String) async throws {
    let answer = try await server.send("GET", "/api/v1/announcements?" + query)
    #expect(answer.status == 400 && answer.code == "INVALID_PARAMETER")
    #expect(answer.error["field"] as? String == field)
  }

  @Test("Only the owner may delete an announcement, and others get the reason")
  func ownership() async throws {
    let (id, owner) = try await server.announce()
    let (other, _) = try await server.announce()
    let path = "/api/v1/announcements/\(id)"
    let nobody = try await server.send("DELETE", path)
    #expect(nobody.status == 401 && nobody.header("WWW-Authenticate")?.hasPrefix("Basic") == true)
    let wrong = try await server.send("DELETE", path, ServedPetspot.basic(id, "AAAA-AAAA-AAAA"))
    #expect(wrong.status == 403 && wrong.code == "UNAUTHORIZED")
    #expect(try await server.send("DELETE", "/api/v1/announcements/\(other)", owner).status == 403)
    let unknown = "00000000-0000-4000-8000-000000000000"
    #expect(
      try await server.send("DELETE", "/api/v1/announcements/\(unknown)", owner).status == 404)
    #expect(try await server.send("GET", "/api/v1/announcements/..%2Fx").status == 404)
    var throttled = wrong
    for _ in 0..<60 where throttled.status == 403 {
      throttled = try await server.send("DELETE", path, ServedPetspot.basic(id, "AAAA-AAAA-AAAA"))
    }
    #expect(throttled.status == 429 && throttled.header("Retry-After") != nil)
    // While the client has to wait, its codes aren't compared.
    #expect(try await server.send("DELETE", path, owner).status == 429)
  }

  @Test("A refused photo is reported with its reason, and the previous photo stays")
  func refusedPhoto() async throws {
    let (id, owner) = try await server.announce()
    let first = try await server.upload(try ServedPetspot.photo("baseline-420.jpg"), to: id, owner)
    let text = try await server.upload(Data("%PDF-1.4\n%no picture".utf8), to: id, owner)
    #expect(text.status == 415 && text.code == "INVALID_PHOTO")
    #expect(text.error["reason"] as? String == "unsupported-format")
    #expect(text.error["detected"] as? String == "application/pdf")
    #expect(try await server.upload(Data(), to: id, owner).status == 422)
    let missing = try await server.upload(Data([1]), to: id, owner, part: "Photo")
    #expect(missing.status == 400 && missing.code == "MISSING_FILE")
    let now = try await server.send("GET", "/api/v1/announcements/\(id)")
    #expect(now.json["photoUrl"] as? String == first.json["photoUrl"] as? String)
    let left = try FileManager.default.contentsOfDirectory(atPath: server.cache.path + "/incoming")
    #expect(left.isEmpty)
  }

  @Test(
    "A part named photo that has bytes is the photo, whatever its file name",
    arguments: [
      "name=photo", #"name="photo"; filename="""#, #"name="photo"; filename*=UTF-8''%C5%82apa.jpg"#,
      #"name="photo"; filename="a"b.jpg""#, #"name="photo"; filename=a; filename=b"#,
      #"filename="a"b; name=c.jpg"; name="photo""#, #"name="photo"; filename*=none"#,
      #"name="photo"; filename="a"#,
    ])
  func fileNames(disposition: String) async throws {
    let (id, owner) = try await server.announce()
    let photo = try ServedPetspot.photo("color-key.png")
    let made = try await server.upload(photo, to: id, owner, disposition: disposition)
    #expect(made.status == 201 && made.json["photoUrl"] is String)
    let none = try await server.upload(Data(), to: id, owner, disposition: "name=\"photo\"")
    #expect(none.status == 400 && none.code == "MISSING_FILE")
  }

  @Test("The old route accepts a photo in base64, and creates nothing if it is refused")
  func base64() async throws {
    let photo = try ServedPetspot.photo("baseline-420.jpg").base64EncodedString()
    let made = try await server.post(
      "/api/announcements", json: ServedPetspot.report.merging(["photo": photo]) { _, new in new })
    #expect(made.status == 201 && made.json["photoUrl"] is String)
    let refused = try await server.post(
      "/api/announcements",
      json: ServedPetspot.report.merging(["photo": Data("x".utf8).base64EncodedString()]) {
        _, new in
        new
      })
    #expect(refused.status == 415)
    let list = try await server.send("GET", "/api/v1/announcements").json["announcements"]
    #expect((list as? [Any])?.count == 1)
  }

  @Test("An owner can change a report, under the rules for new ones, until it is closed")
  func changing() async throws {
    let (id, owner) = try await server.announce(["description": "before"])
    func change(_ body: String, _ owner: [String: String]) async throws -> Answered {
      try await server.send(
        "PATCH", "/api/v1/announcements/\(id)",
        owner.merging(["Content-Type": "application/json"]) { a, _ in a }, body: Data(body.utf8))
    }
    let changed = try await change(#"{"petName":"Rex","age":3,"location":null}"#, owner)
    #expect(changed.status == 200 && changed.json["petName"] as? String == "Rex")
    #expect(changed.json["age"] as? Int == 3 && changed.json["location"] == nil)
    #expect(changed.json["description"] as? String == "before")
    let shown = try await server.send("GET", "/api/v1/announcements/\(id)")
    #expect(shown.body == changed.body)
    let wrong = try await change(#"{"petName":"Max","breed":null,"age":41,"photo":""}"#, owner)
    let errors = wrong.json["errors"] as? [[String: Any]] ?? []
    #expect(wrong.status == 400)
    #expect(
      errors.map { "\($0["field"] ?? "") \($0["code"] ?? "")" } == [
        "breed MISSING_VALUE", "age INVALID_FORMAT", "photo INVALID_FIELD",
      ])
    #expect(try await server.send("GET", "/api/v1/announcements/\(id)").body == shown.body)
    #expect(try await change("{}", ServedPetspot.basic(id, "AAAA-AAAA-AAAA")).status == 403)
    #expect(try await change("{}", [:]).status == 401)
    #expect(try await server.send("DELETE", "/api/v1/announcements/\(id)", owner).status == 204)
    #expect(try await change(#"{"petName":"Max"}"#, owner).code == "CLOSED")
  }

  @Test("The description of the API has the limits that the server checks")
  func describedLimits() async throws {
    let description = try await server.send("GET", "/api/openapi.json").json
    let schemas = (description["components"] as? [String: Any])?["schemas"] as? [String: Any]
    func fields(_ name: String) -> [String: [String: Any]]? {
      (schemas?[name] as? [String: Any])?["properties"] as? [String: [String: Any]]
    }
    let limits = [
      "breed": Announcement.maxBreedLength, "petName": Announcement.maxNameLength,
      "description": Announcement.maxDescriptionLength,
    ]
    for (field, limit) in limits {
      #expect(fields("Report")?[field]?["maxLength"] as? Int == limit)
      for name in ["ReportWithPhoto", "ReportChange"] {
        let reference = fields(name)?[field]?["$ref"] as? String
        #expect(reference == "#/components/schemas/Report/properties/\(field)")
      }
    }
  }

  @Test("Every response has a request ID and security headers, even errors")
  func armour() async throws {
    let answers = [
      try await server.send("GET", "/nowhere"), try await server.send("PUT", "/api/health"),
      try await server.send("OPTIONS", "/api/v1/announcements"),
      try await server.send("HEAD", "/api/v1/announcements"),
      try await server.send("POST", "/api/v1/announcements", ["Content-Type": "text/plain"]),
    ]
    #expect(answers.map(\.status) == [404, 405, 204, 200, 415])
    #expect(answers[1].header("Allow") == "GET, HEAD, OPTIONS")
    for answer in answers {
      #expect(answer.header("request-id")?.count == 16)
      #expect(answer.header("X-Content-Type-Options") == "nosniff")
      #expect(answer.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
      #expect(answer.header("Referrer-Policy") != nil && answer.header("Server") == nil)
    }
  }

  @Test("Requests from pages of other sites are refused")
  func crossOrigin() async throws {
    let refused: [[String: String]] = [
      ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "null"],
      ["Origin": "https://evil.example"],
    ]
    for headers in refused {
      let answer = try await server.post(
        "/api/v1/announcements", json: ServedPetspot.report, headers)
      #expect(answer.status == 403 && answer.code == "CROSS_ORIGIN")
    }
    for headers in [["Sec-Fetch-Site": "same-origin"], ["Origin": server.base]] {
      #expect(
        try await server.post("/api/v1/announcements", json: ServedPetspot.report, headers).status
          == 201)
    }
  }
}
