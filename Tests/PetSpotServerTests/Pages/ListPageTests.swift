import Foundation
import Testing

/// Tests of the searchable list, and of an announcement that is shared.
@Suite("The list and an announcement as neighbors see them")
struct ListPageTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  @discardableResult
  private func publish(_ fields: [String: Any]) async throws -> String {
    let (id, owner) = try await server.announce(fields)
    _ = try await server.upload(try ServedPetspot.photo("orientation-1.jpg"), to: id, owner)
    return id
  }

  private func names(_ page: Page) -> [String] {
    page.html.matches(of: #/class="name" href="[^"]*"><bdi>([^<]*)</bdi>/#).map { String($0.1) }
  }

  @Test("Words of name, breed and description are found in any case, with and without accents")
  func search() async throws {
    try await publish(["petName": "ŻÓŁWIK", "breed": "Łaciaty", "species": "reptile"])
    try await publish(["petName": "Rex", "breed": "Boxer 100%", "description": "Shy, red collar"])
    let browser = PageBrowser(server)
    let found = [
      "żółwik": ["ŻÓŁWIK"], "zolwik": ["ŻÓŁWIK"], "łaci": ["ŻÓŁWIK"], "collar REX": ["Rex"],
      "100%": ["Rex"], "100_": ["Rex"], "r%x": [], "rex żółwik": [],
      // A text without a letter or digit doesn't restrict the list.
      "_": ["Rex", "ŻÓŁWIK"], "%": ["Rex", "ŻÓŁWIK"], "'": ["Rex", "ŻÓŁWIK"],
    ]
    for (text, names) in found {
      let words = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let page = try await browser.open("/announcements?q=\(words)")
      #expect(page.status == 200 && self.names(page) == names, "\(text)")
      #expect(page.has("announcements.all") == names.isEmpty, "\(text)")
      #expect(page.values["q"] == text)
    }
    let reptiles = try await browser.open("/announcements?species=reptile")
    #expect(names(reptiles) == ["ŻÓŁWIK"] && reptiles.values["species"] == "reptile")
    #expect(names(try await browser.open("/announcements?species=unicorn")).count == 2)
    for name in ["search", "species", "nearMe"] { #expect(reptiles.has("announcements.\(name)")) }
  }

  @Test(
    "A form's empty fields and exact places are removed from the address, and links keep the rest")
  func addresses() async throws {
    for number in 1...21 { try await publish(["petName": "Rex \(number)"]) }
    let answer = try await server.send(
      "GET", "/announcements?q=rex&species=&sort=nearest&lat=52%2C22971&lng=21.0122")
    #expect(answer.status == 303)
    let address = "/announcements?q=rex&sort=nearest&lat=52.23&lng=21.01"
    #expect(answer.header("Location") == address)
    let page = try await PageBrowser(server).open(address)
    #expect(page.status == 200 && names(page).count == 20)
    let next = try #require(
      page.html.firstMatch(of: /href="([^"]*)" data-testid="announcements.next"/)
    ).1.replacing("&amp;", with: "&")
    #expect(next.hasPrefix(address + "&after=") && !page.has("announcements.first"))
    #expect(page.values["lat"] == "52.23" && page.values["lng"] == "21.01")
    let rest = try await PageBrowser(server).open(String(next))
    #expect(names(rest).count == 1 && rest.has("announcements.first"))
    #expect(Set(names(rest)).isDisjoint(with: names(page)) && !rest.has("announcements.next"))
    // Old links have page numbers.
    let numbered = try await server.send("GET", address + "&page=2")
    #expect(numbered.status == 303 && numbered.header("Location") == address)
    let lost = try await PageBrowser(server).open("/announcements?sort=nearest")
    #expect(lost.status == 200 && lost.html.contains("we need to know where you are"))
  }

  @Test(
    "Missing names, breeds that repeat the species, and days are phrased naturally",
    arguments: [
      ("en", "Dog, name not given", "2 days ago", "Missing dog", "Show on a map"),
      ("pl", "Pies bez imienia", "2 dni temu", "Zagin", "Pokaż na mapie"),
    ])
  func words(
    _ language: String, _ title: String, _ ago: String, _ share: String, _ map: String
  ) async throws {
    let day = Date(timeIntervalSinceNow: -2 * 86_400)
    let id = try await publish([
      "breed": "DOG", "dateOfDisappearance": String(day.ISO8601Format().prefix(10)),
    ])
    let browser = PageBrowser(server, language: language)
    let list = try await browser.open("/announcements")
    #expect(names(list) == [title] && !list.html.contains("DOG"))
    let page = try await browser.open("/announcements/\(id)")
    #expect(page.html.contains("<h1><bdi>\(title)</bdi></h1>") && !page.html.contains("DOG"))
    #expect(page.html.contains(" (\(ago))</bdi>") && page.has("announcement.share"))
    #expect(page.html.contains("property=\"og:title\" content=\"\(share)"))
    #expect(
      page.html.contains(
        "https://www.openstreetmap.org/?mlat=52.22970&amp;mlon=21.01220#map=16/52.22970/21.01220"))
    #expect(page.html.contains(map) && !page.has("announcement.mapApp"))
    let phone = try await server.send(
      "GET", "/announcements/\(id)", ["Accept": "text/html", "User-Agent": "Mozilla (Android 15)"])
    #expect(
      String(decoding: phone.body, as: UTF8.self)
        .contains("href=\"geo:52.22970,21.01220?q=52.22970,21.01220\""))
  }
}
