import Foundation
import Testing

@testable import PetSpotServer
@testable import ReportFlow

@Suite("Pages in general")
struct PagesTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  @Test("No template contains inline scripts or styles")
  func templates() throws {
    #expect(Templates.texts.count > 15)
    for (name, text) in Templates.texts {
      #expect(!text.contains("style=") && !text.contains("{{{") && !text.contains("{{&"), "\(name)")
      #expect(text.firstMatch(of: #/\son[a-z]+=/#) == nil, "\(name)")
      for tag in text.matches(of: #/<script[^>]*>/#) {
        #expect(tag.output.contains("src=\"{{"), "\(name)")
      }
    }
  }

  @Test("A draft opens only with its own secret, signed by this server")
  func cookies() async throws {
    let (one, two) = (PageBrowser(server), PageBrowser(server))
    let page = try await one.submit(try await one.open("/report/chip"), ["chip": "123"])
    #expect(page.path == "/report/photo")
    #expect(try await two.open("/report/chip").values["chip"] == "")
    #expect(one.cookies["draft"] != two.cookies["draft"])
    let odd = try await server.send("GET", "/report/chip", ["Cookie": "draft=../../etc"])
    let line = try #require(odd.cookies.first)
    #expect(line.wholeMatch(of: #/draft=[A-Za-z0-9_-]{86}; .*/#) != nil)
    for part in ["Path=/", "Max-Age=604800", "HttpOnly", "SameSite=Lax"] {
      #expect(line.contains("; \(part)"))
    }
    #expect(!line.contains("Secure"))
    // The value has the right form but isn't signed. An attacker who made it up would have the draft's secret.
    let known = try #require(one.cookies["draft"])
    let other = known.hasPrefix("A") ? "B" : "A"
    for forged in [String(repeating: "A", count: 86), other + known.dropFirst()] {
      let answer = try await server.send("GET", "/report/chip", ["Cookie": "draft=\(forged)"])
      #expect(answer.cookies.first?.contains(forged) == false)
    }
    // A trusted proxy reports that the client uses TLS.
    let proxied = try ServedPetspot(["--trust-proxy", "127.0.0.1"])
    let secure = try await proxied.send(
      "GET", "/report/chip", ["X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.1"])
    #expect(secure.cookies.first?.hasPrefix("__Host-draft=") == true)
    #expect(secure.cookies.first?.hasSuffix("; Secure") == true)
  }

  @Test("Reading a page writes nothing, and the database contains no secret")
  func secrets() async throws {
    let browser = PageBrowser(server)
    _ = try await browser.open("/report/contact")
    let page = try await browser.submit(
      try await browser.open("/report/chip"), ["chip": "123"])
    #expect(page.status == 200)
    let secret = Data(try #require(browser.cookies["draft"]).utf8)
    let files = try FileManager.default.contentsOfDirectory(
      at: server.cache, includingPropertiesForKeys: nil)
    for file in files where file.lastPathComponent.contains("db") {
      #expect(try Data(contentsOf: file).range(of: secret) == nil)
    }
  }

  @Test("Errors are pages for browsers and JSON for programs")
  func errors() async throws {
    let browser = PageBrowser(server, language: "pl")
    let page = try await browser.open("/nothing/here")
    #expect(page.status == 404 && page.html.contains("Nie ma takiej strony"))
    #expect(page.answer.header("Content-Type") == "text/html; charset=utf-8")
    let missing = [
      "/api/v1/nothing", "/images/nothing", "/assets/a/b", "/report/photo/uploads/a/b",
    ]
    for path in missing {
      let json = try await server.send("GET", path, ["Accept": "text/html"])
      #expect(json.status == 404 && json.code == "NOT_FOUND", "\(path)")
    }
    for path in ["/report/photo/uploads", "/report/chip/typed"] {
      let json = try await server.send("GET", path, ["Accept": "text/html"])
      #expect(json.status == 405 && json.code == "METHOD_NOT_ALLOWED", "\(path)")
    }
    #expect(try await server.send("GET", "/nothing").code == "NOT_FOUND")
    let foreign = try await server.send(
      "POST", "/report/chip", ["Accept": "text/html", "Sec-Fetch-Site": "cross-site"],
      body: Data())
    #expect(foreign.status == 403 && foreign.header("Content-Type")?.hasPrefix("text/html") == true)
  }

  @Test(
    "A language can be chosen, and its return path is always one of ours",
    arguments: [
      ("/announcements?sort=newest", "/announcements?sort=newest"), ("//evil.example", "/"),
      ("/\\evil.example", "/"), ("https://evil.example", "/"), ("", "/"), ("/a\r\nb: c", "/"),
    ])
  func language(_ back: String, _ path: String) async throws {
    let answer = try await server.send(
      "POST", "/language", ["Content-Type": Page.urlencoded],
      body: Page.encoded(["language": "pl", "return": back]))
    #expect(answer.status == 303 && answer.header("Location") == path)
    #expect(answer.cookies.first?.hasPrefix("language=pl;") == true)
  }

  @Test(
    "The browser's language preferences are used",
    arguments: [
      ("pl", "pl"), ("en-GB,en;q=0.9,pl;q=0.8", "en"), ("de,pl;q=0.5,en;q=0.4", "pl"),
      ("de", "en"), ("pl;q=0,en", "en"), ("", "en"),
    ])
  func accepted(_ header: String, _ language: String) async throws {
    let page = try await server.send("GET", "/", ["Accept-Language": header])
    #expect(String(decoding: page.body, as: UTF8.self).contains("<html lang=\"\(language)\">"))
  }

  @Test(
    "Styles and scripts have names that change with their contents, and are sent compressed"
  )
  func assets() async throws {
    let page = try await PageBrowser(server).open("/")
    let address = try #require(
      page.html.firstMatch(of: #/href="(/assets/petspot-[0-9a-f]{12}\.css)"/#)
    ).1
    let plain = try await server.send("GET", String(address))
    #expect(plain.status == 200 && plain.header("Cache-Control")?.contains("immutable") == true)
    #expect(plain.header("Content-Type") == "text/css; charset=utf-8")
    let packed = try await server.send("GET", String(address), ["Accept-Encoding": "gzip, br"])
    #expect(packed.header("Content-Encoding") == "gzip" && packed.body.count < plain.body.count / 2)
    #expect(try await server.send("GET", "/assets/petspot.css").status == 404)
    #expect(try await server.send("GET", "/assets/openapi.json").status == 404)
    #expect(page.answer.body.count < 30_000)
  }

  @Test("Every page names its operator and contact, and links to the privacy page")
  func footer() async throws {
    let named = try ServedPetspot([
      "--operator-name", "Paws & Co", "--operator-contact", "paws@example.org",
    ])
    for (language, run) in [("en", "Run by"), ("pl", "Prowadzi:")] {
      let browser = PageBrowser(named, language: language)
      for path in ["/", "/report/chip", "/announcements", "/nothing"] {
        let page = try await browser.open(path)
        #expect(page.html.contains("\(run) <bdi>Paws &amp; Co</bdi>"), "\(path)")
        #expect(page.html.contains("href=\"mailto:paws@example.org\""), "\(path)")
        #expect(page.has("footer.privacy"))
      }
      let page = try await browser.open("/privacy")
      #expect(page.status == 200 && page.has("privacy.title"))
    }
    let plain = try await PageBrowser(server).open("/")
    #expect(plain.has("footer.privacy") && !plain.has("footer.operator"))
    #expect(throws: (any Error).self) { try ServedPetspot(["--operator-contact", "nowhere"]) }
  }

  @Test("A list has pages, and asks for the reader's position only to sort by distance")
  func list() async throws {
    let browser = PageBrowser(server)
    let nearest = try await browser.open("/announcements?sort=nearest")
    #expect(nearest.status == 200 && nearest.html.contains("name=\"lat\""))
    #expect(try await browser.open("/announcements?page=99999999999999999999").status == 200)
    #expect(try await browser.open("/announcements?page=-3&sort=x").status == 200)
    #expect(try await browser.open("/?lat=abc&lng=1").status == 200)
  }
}
