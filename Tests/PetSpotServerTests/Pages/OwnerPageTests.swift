import Announcements
import Foundation
import PhotoIngestion
import ReportFlow
import Testing

@testable import PetSpotServer

/// Tests of the owner's page, which the code opens, and of the poster.
@Suite("The owner's page and the poster")
struct OwnerPageTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  private func publish(_ fields: [String: Any] = [:]) async throws -> (id: String, code: String) {
    let made = try await server.post(
      "/api/v1/announcements", json: ServedPetspot.report.merging(fields) { $1 })
    let id = try #require(made.json["id"] as? String)
    let code = try #require(made.json["managementPassword"] as? String)
    let sent = try await server.upload(
      try ServedPetspot.photo("orientation-1.jpg"), to: id, ServedPetspot.basic(id, code))
    #expect(sent.status == 201)
    return (id, code)
  }

  @Test("The code opens the page, which changes the public announcement and shows private fields")
  func change() async throws {
    let (id, code) = try await publish([
      "email": "ola@example.org", "microchipNumber": "123456", "petName": "Rex",
    ])
    let (browser, path) = (PageBrowser(server), "/announcements/\(id)/owner")
    #expect(try await browser.open("/announcements/\(id)").has("announcement.owner"))
    let entrance = try await browser.open(path)
    #expect(entrance.has("owner.code") && entrance.has("owner.enter"))
    #expect(!entrance.html.contains("Rex"))
    let empty = try await browser.post(path, ["code": ""])
    #expect(empty.status == 200 && empty.has("errorSummary"))
    let wrong = try await browser.post(path, ["code": "AAAA-AAAA-AAAA"])
    #expect(wrong.status == 403 && wrong.has("errorSummary") && browser.cookies["owner"] == nil)
    let page = try await browser.post(path, ["code": code.lowercased()])
    #expect(page.status == 200 && page.answer.header("Cache-Control") == "no-store")
    for part in ["save", "photo.fileInput", "close", "erase"] { #expect(page.has("owner.\(part)")) }
    // Without mail, the page neither asks for an address nor stores one.
    #expect(page.values["email"] == nil && page.values["chip"] == "12345-6")
    var fields = page.values.filter { OwnerForm.fields.map(\.rawValue).contains($0.key) }
    (fields["gender"], fields["species"], fields["action"]) = ("male", "cat", "save")
    fields["phone"] = "12"
    let refused = try await browser.post(path, fields)
    #expect(refused.status == 200 && refused.html.contains("id=\"phone-error\""))
    #expect(refused.values["phone"] == "12")
    #expect(try await browser.open(path).html == refused.html)
    (fields["phone"], fields["petName"]) = ("600 222 333", "Żuk & Co")
    fields["near"] = "by the lake"
    let saved = try await browser.post(path, fields)
    #expect(saved.has("owner.done"))
    let one = try await server.send("GET", "/api/v1/announcements/\(id)").json
    #expect(one["petName"] as? String == "Żuk & Co" && one["species"] as? String == "Cat")
    #expect(one["contactPhone"] as? String == "600 222 333")
    #expect(one["near"] as? String == "by the lake")
  }

  @Test("If two owners save at once, the second one sees both versions, and no input is lost")
  func together() async throws {
    let (id, code) = try await publish(["petName": "Rex"])
    let (browser, path) = (PageBrowser(server), "/announcements/\(id)/owner")
    let page = try await browser.post(path, ["code": code])
    var fields = page.values.filter { OwnerForm.fields.map(\.rawValue).contains($0.key) }
    fields["seen"] = page.values["seen"]
    fields.merge(["gender": "male", "species": "dog", "action": "save", "petName": "Nala"]) { $1 }
    let other = try await browser.post(path, fields.merging(["petName": "Max"]) { $1 })
    #expect(other.has("owner.done"))
    let second = try await browser.post(path, fields)
    #expect(second.status == 200 && second.has("owner.changed"))
    #expect(second.values["petName"] == "Nala" && second.html.contains("<dd>Max</dd>"))
    #expect(second.values["seen"] != fields["seen"])
    fields["seen"] = second.values["seen"]
    #expect(try await browser.post(path, fields).has("owner.done"))
    let one = try await server.send("GET", "/api/v1/announcements/\(id)").json
    #expect(one["petName"] as? String == "Nala")
    // After the announcement is closed, its page still has a link for the owner.
    _ = try await browser.post(path + "/close", [:])
    let gone = try await browser.open("/announcements/\(id)")
    #expect(gone.status == 410 && gone.has("announcement.owner"))
  }

  @Test(
    "A session is for one announcement and lasts 30 minutes; forged and old ones are refused")
  func right() async throws {
    let (first, second) = (try await publish(), try await publish())
    let path = "/announcements/\(first.id)/owner"
    let answer = try await server.send(
      "POST", path, ["Content-Type": Page.urlencoded], body: Page.encoded(["code": first.code]))
    let line = try #require(answer.cookies.first)
    #expect(line.hasPrefix("owner=") && line.contains("; Path=\(path); Max-Age=1800; HttpOnly"))
    let value = String(line.dropFirst(6).prefix { $0 != ";" })
    #expect(!value.contains(first.code))
    func isIn(_ value: String, _ path: String) async throws -> Bool {
      let page = try await server.send("GET", path, ["Cookie": "owner=\(value)"])
      return String(decoding: page.body, as: UTF8.self).contains("owner.save")
    }
    // The cookie has only a time and a signature, without a code, sealed or not.
    #expect(value.wholeMatch(of: #/[0-9]{10}\.[0-9A-Za-z_-]{43}/#) != nil)
    #expect(try await isIn(value, path))
    // Another path or host of the site may set a cookie with the same name, which comes first.
    #expect(try await isIn("x; owner=1.y; owner=\(value)", path))
    #expect(try await !isIn(value, "/announcements/\(second.id)/owner"))
    let forged =
      value.prefix(40) + (value.dropFirst(40).first == "A" ? "B" : "A") + value.dropFirst(41)
    #expect(try await !isIn(String(forged), path))
    let late = try await server.send(
      "POST", path + "/erase", ["Content-Type": Page.urlencoded, "Accept": "text/html"],
      body: Data())
    #expect(late.status == 403)
    #expect(try await server.send("GET", "/api/v1/announcements/\(first.id)").status == 200)
  }

  @Test("The photo can be replaced, and the announcement closed, or erased after a confirmation")
  func photoCloseErase() async throws {
    let (id, code) = try await publish()
    let (browser, path) = (PageBrowser(server), "/announcements/\(id)/owner")
    _ = try await browser.post(path, ["code": code])
    let before = try await browser.open("/announcements/\(id)").html
    let changed = ["petName": "Żuk", "description": "Shy & small"]
    for (bytes, next, name) in [
      (Data("no photo".utf8), path, "a.jpg"), (Data(), path + "?done=saved", ""),
      (try ServedPetspot.photo("portrait-phone.heic"), path + "?done=saved", "a\"b.jpg"),
    ] {
      let (type, body) = try await browser.open(path).form(
        changed, action: "save", photo: (name, bytes))
      let answer = try await server.send(
        "POST", path, browser.headers.merging(["Content-Type": type]) { $1 }, body: body)
      #expect(answer.status == 303 && answer.header("Location") == next)
      guard next == path else { continue }
      let refused = try #require(answer.cookies.first)
      #expect(refused.contains("; Path=\(path); Max-Age=60; HttpOnly"))
      var headers = browser.headers
      headers["Cookie", default: ""] += "; " + refused.prefix { $0 != ";" }
      let page = try await server.send("GET", path, headers)
      let shown = String(decoding: page.body, as: UTF8.self)
      #expect(shown.contains("id=\"photo-error\"") && shown.contains("Shy &amp; small"))
      // A sibling host can set a cookie but can't sign it.
      let text =
        #"{"refusal":{"reason":"Call +48 1","errors":[],"adjusted":[],"invalidFields":[]}}"#
      let forged = Data(text.utf8).base64URL
      let value = try #require(refused.split(separator: ";").first)
      let signature = try #require(value.split(separator: ".").last)
      for cookie in [forged, forged + "." + signature, String(value.dropFirst(8).dropLast())] {
        headers["Cookie"] = try #require(browser.headers["Cookie"]) + "; refused=" + cookie
        let plain = try await server.send("GET", path, headers)
        #expect(plain.status == 200)
        #expect(!String(decoding: plain.body, as: UTF8.self).contains("errorSummary"))
      }
    }
    let after = try await browser.open("/announcements/\(id)").html
    #expect(after != before && after.contains("Żuk") && after.contains("Shy &amp; small"))
    let asked = try await browser.open(path + "?close=1")
    #expect(asked.has("owner.close.confirm"))
    #expect(try await browser.open("/announcements/\(id)").status == 200)
    for _ in 0..<2 {
      let closed = try await browser.post(path + "/close", [:])
      #expect(closed.status == 200 && closed.has("owner.reopen") && !closed.has("owner.save"))
      let gone = try await browser.open("/announcements/\(id)")
      #expect(gone.status == 410 && gone.html.contains("Thank you for looking"))
      let opened = try await browser.post(path + "/reopen", [:])
      #expect(opened.has("owner.done") && opened.has("owner.save"))
      #expect(try await browser.open("/announcements/\(id)").status == 200)
    }
    let rest = try await browser.post(path + "/close", [:])
    #expect(rest.has("owner.erase"))
    #expect(try await browser.open(path + "?erase=1").has("owner.erase.confirm"))
    #expect(try await server.send("GET", path).status == 200)
    let erased = try await browser.post(path + "/erase", [:])
    #expect(erased.status == 410 && browser.cookies["owner"] == nil)
    #expect(erased.html.contains("deleted"))
    #expect(try await browser.open(path).status == 410)
  }

  @Test("A poster has its address as text and as a QR code, and the exact day")
  func poster() async throws {
    let (id, _) = try await publish(["petName": "Rex"])
    let poster = try await PageBrowser(server).open("/announcements/\(id)/poster")
    #expect(poster.has("poster.print") && poster.has("poster.code"))
    let one = try await server.send("GET", "/api/v1/announcements/\(id)").json
    let short = try #require(one["shortUrl"] as? String)
    #expect(
      short.wholeMatch(of: #/.*/a/[2-9A-Z]{5}/#) != nil && poster.text("poster.address") == short)
    let code = try #require(QRCode(short))
    #expect(poster.html.contains(code.path))
    #expect(poster.html.contains("<strong>January 5, 2026</strong>"))
    for (sex, title) in [("male", "ZAGINĄŁ PIES"), ("female", "ZAGINĘŁA SUCZKA")] {
      let (other, _) = try await publish(["species": "dog", "sex": sex])
      let page = try await PageBrowser(server, language: "pl").open(
        "/announcements/\(other)/poster")
      #expect(page.html.contains(title))
    }
  }

  @Test(
    "A QR code has the size of its text, a finder pattern in three corners, and at most 213 bytes",
    arguments: [(14, 21), (84, 37), (168, 53), (213, 57)])
  func code(_ bytes: Int, _ size: Int) throws {
    let code = try #require(QRCode(String(repeating: "a", count: bytes)))
    #expect(code.size == size && code.width == size + 8)
    for (x, y) in [(0, 0), (size - 7, 0), (0, size - 7)] {
      #expect((0..<7).allSatisfy { code[x + $0, y] && code[x, y + $0] && code[x + $0, y + 6] })
      #expect(!code[x + 1, y + 1] && code[x + 3, y + 3])
    }
    #expect(QRCode(String(repeating: "a", count: 214)) == nil && QRCode("") == nil)
  }
}
