import Foundation
import Testing

@testable import PetSpotServer

/// Tests of ways to an announcement from outside: feeds, short addresses, and the files that crawlers and phones
/// request.
@Suite("Feeds, short addresses and the files that browsers request by themselves")
struct FeedTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  private func publish(_ fields: [String: Any]) async throws -> (String, [String: String]) {
    let (id, owner) = try await server.announce(fields)
    _ = try await server.upload(try ServedPetspot.photo("orientation-1.jpg"), to: id, owner)
    return (id, owner)
  }

  @Test("A feed has the list's parameters, a rounded place, and no data of an owner")
  func feeds() async throws {
    let (id, _) = try await publish([
      "petName": "Rex <&> \u{1}Żuk", "near": "Mokotów", "email": "ola@example.org",
      "location": ["latitude": 52.22977, "longitude": -0.0001],
    ])
    _ = try await publish(["petName": "Mruczek", "species": "cat"])
    let atom = try await server.send("GET", "/announcements.atom?q=mokotow")
    #expect(atom.header("Content-Type") == "application/atom+xml; charset=utf-8")
    let text = String(decoding: atom.body, as: UTF8.self)
    #expect(text.contains("Rex &lt;&amp;&gt; Żuk") && text.contains("Mokotów"))
    #expect(text.contains("<georss:point>52.230 0.000</georss:point>"))
    #expect(text.contains("urn:uuid:\(id)") && !text.contains("Mruczek"))
    let json = try await server.send("GET", "/announcements.json?q=mokotow")
    #expect(json.header("Content-Type") == "application/feed+json; charset=utf-8")
    #expect(json.json["version"] as? String == "https://jsonfeed.org/version/1.1")
    let items = try #require(json.json["items"] as? [[String: Any]])
    #expect(items.count == 1 && items[0]["url"] as? String == "\(server.base)/announcements/\(id)")
    let report = ServedPetspot.report
    for body in [text, String(decoding: json.body, as: UTF8.self)] {
      for key in ["ownerName", "ownerPhone"] {
        let said = try #require(report[key] as? String)
        #expect(!body.contains(said))
      }
      #expect(!body.contains("ola@example.org"))
    }
    for path in ["/announcements.atom", "/announcements.json"] {
      let all = try await server.send("GET", path)
      let known = try #require(all.header("ETag"))
      let again = try await server.send("GET", path, ["If-None-Match": known])
      #expect(again.status == 304 && again.body.isEmpty)
      // A removal doesn't change any date, so the feed has none.
      #expect(all.header("Last-Modified") == nil)
      let future = ["If-Modified-Since": "Fri, 31 Dec 2100 23:59:59 GMT"]
      #expect(try await server.send("GET", path, future).status == 200)
    }
    let list = try await PageBrowser(server).open("/announcements?species=cat")
    #expect(list.html.contains("href=\"/announcements.atom?species=cat\""))
  }

  @Test(
    "Short addresses that don't exist are counted per client, and others aren't")
  func misses() async throws {
    let (id, _) = try await publish(["petName": "Rex"])
    let one = try await server.send("GET", "/api/v1/announcements/\(id)").json
    let short = try #require(one["shortUrl"] as? String).replacing(server.base, with: "")
    for _ in 0..<70 { #expect(try await server.send("GET", short).status == 302) }
    var misses = 0
    while misses < 400, try await server.send("GET", "/a/22222").status == 404 { misses += 1 }
    #expect((60..<400).contains(misses))
  }

  @Test("A short address leads to its announcement, until that is closed or erased")
  func shortAddresses() async throws {
    let (id, owner) = try await publish(["petName": "Rex"])
    let one = try await server.send("GET", "/api/v1/announcements/\(id)").json
    let short = try #require(one["shortUrl"] as? String).replacing(server.base, with: "")
    for path in [short, "/a/" + short.dropFirst(3).lowercased()] {
      let answer = try await server.send("GET", path)
      #expect(answer.status == 302 && answer.header("Location") == "/announcements/\(id)")
    }
    let unlisted = try await server.announce()
    let made = try await server.send("GET", "/api/v1/announcements/\(unlisted.0)").json
    #expect(made["shortUrl"] == nil)
    for path in ["/a/", "/a/AAAA", "/a/22222", "/a/IIIII"] {
      #expect(try await server.send("GET", path).status == 404)
    }
    let api = "/api/v1/announcements/\(id)"
    let login = owner.merging(["Accept": "text/html"]) { $1 }
    #expect(try await server.send("DELETE", api, login).status == 204)
    #expect(try await server.send("GET", short).status == 410)
    #expect(try await server.send("POST", api + "/reopen", login).status == 200)
    #expect(try await server.send("GET", short).status == 302)
    #expect(try await server.send("DELETE", api + "?erase=true", login).status == 204)
    let gone = try await server.send("GET", short, ["Accept": "text/html"])
    #expect(gone.status == 410 && String(decoding: gone.body, as: UTF8.self).contains("deleted"))
    #expect(try await server.send("POST", api + "/reopen", login).status == 410)
  }

  @Test("Previews are in the language of the report, whoever requests them")
  func previews() async throws {
    let made = try await server.send(
      "POST", "/api/v1/announcements",
      ["Content-Type": "application/json", "Accept-Language": "pl"],
      body: JSONSerialization.data(withJSONObject: ServedPetspot.report))
    let id = try #require(made.json["id"] as? String)
    let page = try await PageBrowser(server).open("/announcements/\(id)")
    #expect(page.html.contains("<html lang=\"en\">"))
    #expect(page.html.contains("og:locale\" content=\"pl_PL\""))
    #expect(page.html.contains("og:title\" content=\"Zagin"))
    #expect(page.html.contains("rel=\"canonical\" href=\"\(server.base)/announcements/\(id)\""))
  }

  @Test(
    "robots.txt, icons, manifest and worker exist, and pages are compressed for browsers that accept it"
  )
  func files() async throws {
    let types = [
      "/robots.txt": "text/plain; charset=utf-8", "/favicon.ico": "image/x-icon",
      "/manifest.webmanifest": "application/manifest+json; charset=utf-8",
      "/worker.js": "text/javascript; charset=utf-8", "/offline": "text/html; charset=utf-8",
    ]
    for (path, type) in types {
      let answer = try await server.send("GET", path)
      #expect(answer.status == 200 && answer.header("Content-Type") == type, "\(path)")
    }
    let manifest = try await server.send("GET", "/manifest.webmanifest").json
    let icons = try #require(manifest["icons"] as? [[String: Any]])
    for icon in icons {
      let answer = try await server.send("GET", try #require(icon["src"] as? String))
      #expect(answer.status == 200 && answer.header("Content-Type") == "image/png")
    }
    let packed = try await server.send("GET", "/", ["Accept-Encoding": "gzip, br"])
    #expect(
      packed.header("Content-Encoding") == "gzip" && packed.body.prefix(2) == Data([31, 139]))
    #expect(try await server.send("GET", "/").header("Content-Encoding") == nil)
    #expect(try await server.send("GET", "/worker.js").body.count < 2048)
  }
}
