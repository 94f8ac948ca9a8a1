import Foundation
import TestPictures
import Testing

@Suite("The photo step as a page")
struct PhotoPageTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  private func attach(_ browser: PageBrowser, _ name: String) async throws -> Page {
    try await browser.submit(
      try await browser.open("/report/photo"), photo: (name, try ServedPetspot.photo(name)))
  }

  @Test("A card shows the photo and how it was changed, and only its owner sees the preview")
  func card() async throws {
    let browser = PageBrowser(server)
    #expect(try await attach(browser, "portrait-phone.heic").path == "/report/description")
    let page = try await browser.open("/report/photo")
    #expect(page.has("animalPhoto.confirmationCard"))
    #expect(page.html.contains("<bdi>portrait-phone.heic</bdi>"))
    #expect(page.html.contains("converted from HEIC to JPEG"))
    let picture = try await server.send("GET", "/report/photo/preview", browser.headers)
    #expect(picture.status == 200 && picture.header("Content-Type") == "image/jpeg")
    #expect(picture.header("Cache-Control") == "private, no-store")
    #expect(try await server.send("GET", "/report/photo/preview").status == 404)
    let other = PageBrowser(server)
    _ = try await other.open("/report/chip")
    #expect(
      try await server.send("GET", "/report/photo/preview", other.headers).status == 404)
    #expect(try await browser.submit(page).path == "/report/description")
  }

  @Test(
    "Without script, a photo whose file name can't be read is named \"photo\"",
    arguments: [
      ("", "photo"), ("; filename*=UTF-8''%C5%82apa.png", "łapa.png"),
      ("; filename=\"a\"b.png\"", "a&quot;b.png"), ("; filename*=UTF-8''%F", "photo"),
    ])
  func fileNames(parameter: String, name: String) async throws {
    let browser = PageBrowser(server)
    _ = try await browser.open("/report/photo")
    let parts = [("photo", parameter, try ServedPetspot.photo("color-key.png"))]
    var body = Data()
    for (part, parameter, bytes) in parts + [("action", "", Data("continue".utf8))] {
      let head = "--b\r\nContent-Disposition: form-data; name=\"\(part)\"\(parameter)\r\n\r\n"
      body += Data(head.utf8) + bytes + Data("\r\n".utf8)
    }
    let answer = try await server.send(
      "POST", "/report/photo",
      browser.headers.merging(["Content-Type": "multipart/form-data; boundary=b"]) { $1 },
      body: body + Data("--b--\r\n".utf8))
    #expect(answer.status == 303)
    #expect(try await browser.open("/report/photo").html.contains("<bdi>\(name)</bdi>"))
  }

  @Test(
    "A field that appears twice or isn't UTF-8 is refused in both form encodings",
    arguments: [
      ([("a", [0x31]), ("a", [0x32])], true), ([("a", [0x31]), ("b", [0x32])], false),
      ([("a", [0xE9])], true),
    ] as [([(String, [UInt8])], Bool)])
  func badFields(pairs: [(String, [UInt8])], isBad: Bool) async throws {
    let browser = PageBrowser(server)
    _ = try await browser.open("/report/photo")
    var form = Data()
    for (name, value) in pairs {
      form += Data("--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8)
      form += Data(value) + Data("\r\n".utf8)
    }
    let encoded = pairs.map { name, value in
      "\(name)=" + value.map { String(format: "%%%02X", $0) }.joined()
    }
    let bodies = [
      ("multipart/form-data; boundary=b", form + Data("--b--".utf8)),
      ("application/x-www-form-urlencoded", Data(encoded.joined(separator: "&").utf8)),
    ]
    for (type, body) in bodies {
      let answer = try await server.send(
        "POST", "/report/photo", browser.headers.merging(["Content-Type": type]) { $1 }, body: body)
      #expect((answer.status == 400) == isBad, "\(type): \(answer.status)")
    }
  }

  @Test("An animation plays in the card")
  func animation() async throws {
    let browser = PageBrowser(server)
    _ = try await attach(browser, "animated.gif")
    let picture = try await server.send("GET", "/report/photo/preview", browser.headers)
    #expect(picture.status == 200 && picture.header("Content-Type") == "image/gif")
    let blobs = server.cache.appending(path: "blobs")
    let files = FileManager.default.enumerator(at: blobs, includingPropertiesForKeys: nil)
    let stored = try #require(files).compactMap { try? Data(contentsOf: try #require($0 as? URL)) }
    #expect(stored.contains(picture.body))
  }

  @Test(
    "The photo's position is removed, reported, and offered in step 3, where it counts only if accepted"
  )
  func place() async throws {
    let browser = PageBrowser(server)
    var page = try await attach(browser, "gps-exif.jpg")
    #expect(page.has("animalDescription.usePhotoPosition.tap") && page.values["latitude"] == "")
    #expect(try await browser.open("/report/photo").html.contains("We removed location"))
    page = try await browser.submit(page, ["petName": "Max"], action: "photoPosition")
    #expect(page.path == "/report/description" && page.values["petName"] == "Max")
    #expect(page.values["latitude"]?.wholeMatch(of: #/-?[0-9]+\.[0-9]{5}/#) != nil)
    _ = try await attach(browser, "orientation-6.jpg")
    #expect(
      !(try await browser.open("/report/description")).has(
        "animalDescription.usePhotoPosition.tap"))
  }

  @Test("A refusal has a reason and keeps the previous photo")
  func refusal() async throws {
    let browser = PageBrowser(server)
    _ = try await attach(browser, "orientation-6.jpg")
    let page = try await browser.submit(
      try await browser.open("/report/photo"),
      photo: ("<b>.jpg", Data("II*\0tiff in name only".utf8)))
    #expect(page.path == "/report/photo" && page.title.hasPrefix("Error: "))
    #expect(page.has("animalPhoto.error") && page.html.contains("orientation-6.jpg"))
    #expect(!page.html.contains("<b>.jpg"))
    #expect(try await browser.open("/report/photo").has("animalPhoto.error"))
    // A new photo replaces the error.
    _ = try await attach(browser, "orientation-1.jpg")
    #expect(!(try await browser.open("/report/photo")).has("animalPhoto.error"))
  }

  @Test("A file above the limit has an error message of its own")
  func tooLarge() async throws {
    let small = try ServedPetspot(["--upload-limit", "1000"])
    let browser = PageBrowser(small)
    let page = try await browser.submit(
      try await browser.open("/report/photo"), photo: ("big.jpg", Data(count: 900_000)))
    #expect(page.path == "/report/photo" && page.html.contains("The photo is too large"))
  }

  @Test("A removed photo is gone, and Continue asks for one again")
  func removed() async throws {
    let browser = PageBrowser(server)
    _ = try await attach(browser, "orientation-6.jpg")
    let page = try await browser.submit(try await browser.open("/report/photo"), action: "remove")
    #expect(page.path == "/report/photo" && !page.has("animalPhoto.confirmationCard"))
    #expect(try await browser.submit(page).has("animalPhoto.toast"))
  }

  @Test("A photo is loading while its upload arrives, until it is cancelled")
  func arriving() async throws {
    let browser = PageBrowser(server)
    _ = try await browser.open("/report/photo")
    let photo = try ServedPetspot.photo("orientation-6.jpg")
    let tus = browser.headers.merging(["Tus-Resumable": "1.0.0"]) { $1 }
    func status() async throws -> String? {
      try await server.send("GET", "/report/photo/status", browser.headers).json["status"]
        as? String
    }
    let made = try await server.send(
      "POST", "/report/photo/uploads",
      tus.merging(["Upload-Length": String(photo.count)]) { $1 })
    let address = try #require(made.header("Location").flatMap { URL(string: $0)?.path })
    #expect(try await status() == "empty")
    let piece = tus.merging([
      "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream",
    ]) { $1 }
    #expect(
      try await server.send("PATCH", address, piece, body: photo.prefix(1000)).status == 204)
    #expect(try await status() == "loading")
    #expect(try await server.send("DELETE", address, tus).status == 204)
    #expect(try await status() == "empty")
  }

  @Test("Programs can get the state as JSON, in the reader's language, and as events")
  func status() async throws {
    let browser = PageBrowser(server, language: "pl")
    let none = try await server.send("GET", "/report/photo/status")
    #expect(none.json["status"] as? String == "empty")
    _ = try await attach(browser, "orientation-6.jpg")
    let told = try await server.send("GET", "/report/photo/status", browser.headers)
    #expect(told.json["status"] as? String == "confirmed")
    let photo = try #require(told.json["photo"] as? [String: Any])
    #expect(photo["fileName"] as? String == "orientation-6.jpg" && photo["cachedURL"] == nil)
    let client = try RawClient(port: server.port)
    try client.send(
      "GET /report/photo/status HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
        + "Accept: text/event-stream\r\nCookie: \(browser.headers["Cookie"] ?? "")\r\n\r\n")
    #expect(try client.receive(until: "\"status\":\"confirmed\"").contains("event: status"))
    _ = try await browser.post("/report/photo/remove", [:])
    #expect(try client.receive(until: "\"status\":\"empty\"").contains("event: status"))
    // An open stream doesn't delay the server's end.
    let begin = ContinuousClock.now
    #expect(server.end() == 0)
    #expect(ContinuousClock.now - begin < .seconds(10))
  }
}
