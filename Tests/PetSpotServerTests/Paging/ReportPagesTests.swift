import Foundation
import TestPictures
import Testing

@Suite("The report as pages")
struct ReportPagesTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  @Test(
    "Without script a report goes from the start page to its code, and its code closes it",
    arguments: [
      ("en", "Your contact info", "LOST"), ("pl-PL,pl;q=0.9", "Twoje dane kontaktowe", "ZAGINIONE"),
    ])
  func wholeWay(_ language: String, _ heading: String, _ badge: String) async throws {
    let browser = PageBrowser(server, language: language)
    let landing = try await browser.open("/")
    #expect(landing.has("landingPage.empty") && landing.has("home.hero.lostPetButton"))
    let contact = try await browser.report()
    #expect(contact.html.contains("<h1>\(heading)</h1>"))
    let summary = try await browser.submit(contact, PageBrowser.contact)
    #expect(summary.path == "/report/summary")
    #expect(summary.answer.header("Cache-Control") == "no-store")
    let code = try #require(summary.text("summary.password"))
    #expect(try await browser.open("/report/contact").text("summary.password") == code)
    let list = try await browser.open("/announcements")
    let id = try #require(list.html.firstMatch(of: #/animalList\.item\.([0-9a-f-]{36})/#)).1
    #expect(list.html.contains("Golden &lt;b&gt;Retriever&lt;/b&gt;"))
    #expect(try await browser.open("/").has("animalList.item.\(id)"))
    let one = try await browser.open("/announcements/\(id)")
    #expect(one.html.contains(badge) && one.html.contains("Max &amp; &quot;Co&quot;"))
    #expect(one.html.contains("100 zł") && one.html.contains("og:image"))
    #expect(!one.html.contains("ola@example.org") && !one.html.contains("12345"))
    #expect(try await browser.open("/announcements/\(id)/poster").html.contains("+48 600 111 222"))
    let closed = try await browser.post("/report/summary", ["action": "close"])
    #expect(closed.path == "/" && browser.cookies["draft"] == nil)
    #expect(try await browser.open("/report/summary").path == "/report/chip")
    let wrong = try await browser.post("/announcements/\(id)/close", ["password": "AAAA"])
    #expect(wrong.status == 403 && wrong.has("errorSummary"))
    let gone = try await browser.post("/announcements/\(id)/close", ["password": code])
    #expect(gone.status == 410 && !gone.html.contains("Max"))
    #expect(try await browser.open("/").has("landingPage.empty"))
  }

  @Test("Refused chips are counted, so that numbers cannot be asked for")
  func refusedChipsAreCounted() async throws {
    let first = PageBrowser(server)
    let published = try await first.submit(try await first.report(), PageBrowser.contact)
    #expect(published.path == "/report/summary")
    let other = PageBrowser(server)
    let contact = try await other.report()
    var (page, statuses) = (contact, [Int]())
    for _ in 1...9 where page.status != 429 {
      page = try await other.submit(contact, PageBrowser.contact)
      statuses.append(page.status)
    }
    #expect(Set(statuses.dropLast()) == [409] && (6...8).contains(statuses.count))
    #expect(page.status == 429 && page.answer.header("Retry-After") != nil)
    #expect(page.has("errorSummary"))
  }

  @Test("A refused step tells every error twice, keeps what was typed, and says so in its title")
  func refused() async throws {
    let browser = PageBrowser(server)
    let empty = try await browser.submit(try await browser.open("/report/photo"))
    #expect(empty.status == 422 && empty.title.hasPrefix("Error: "))
    #expect(empty.text("animalPhoto.toast") == "Photo is mandatory")
    let page = try await browser.submit(
      try await browser.open("/report/description"),
      ["age": "99", "latitude": "91", "petName": "<script>alert(1)</script>", "gender": ""])
    #expect(page.status == 422 && page.title.hasPrefix("Error: "))
    for field in ["species", "race", "gender", "age", "latitude", "longitude"] {
      #expect(page.html.contains("href=\"#\(field)\""), "\(field)")
      #expect(page.html.contains("id=\"\(field)-error\""), "\(field)")
    }
    #expect(page.values["petName"] == "<script>alert(1)</script>" && page.values["age"] == "99")
    #expect(!page.html.contains("<script>alert"))
    #expect(page.html.contains("autofocus") && page.has("animalDescription.toast"))
    let again = try await browser.open("/report/description")
    #expect(again.status == 200 && again.values["age"] == "99")
  }

  @Test("Polish errors are Polish, and a decimal comma is a number")
  func polish() async throws {
    let browser = PageBrowser(server, language: "pl")
    let page = try await browser.submit(
      try await browser.open("/report/description"), ["latitude": "52,5"])
    #expect(page.title.hasPrefix("Błąd: ") && page.html.contains("lang=\"pl\""))
    #expect(!page.html.contains("id=\"latitude-error\""))
    #expect(page.html.contains("id=\"longitude-error\""))
  }

  @Test("A day after today is refused and the day before stays; no day at all is asked for")
  func days() async throws {
    let browser = PageBrowser(server)
    var page = try await browser.open("/report/description")
    page = try await browser.submit(page, ["date": "2026-01-05"], action: "species")
    #expect(page.values["date"] == "2026-01-05")
    page = try await browser.submit(page, ["date": "2999-01-01"])
    #expect(page.status == 422 && page.html.contains("id=\"date-error\""))
    #expect(page.values["date"] == "2026-01-05")
    page = try await browser.submit(page, ["date": ""])
    #expect(page.status == 422 && page.html.contains("id=\"date-error\""))
  }

  @Test("A day more than 20 years back is asked about, and taken when it is meant")
  func longAgo() async throws {
    for (language, yes) in [
      ("en", "Yes, 1999-12-31 is the right day"), ("pl", "Tak, 1999-12-31 to właściwy dzień"),
    ] {
      let browser = PageBrowser(server, language: language)
      var page = try await browser.open("/report/description")
      #expect(!page.has("animalDescription.longAgo.tap"))
      page = try await browser.submit(page, ["date": "1999-12-31"])
      #expect(page.status == 422 && page.html.contains("id=\"date-error\""))
      #expect(page.has("animalDescription.longAgo.tap") && page.html.contains(yes))
      #expect(page.values["date"] == "1999-12-31")
      // A yes to one day is none to another.
      page = try await browser.submit(page, ["date": "1999-12-30", "longAgo": "1999-12-31"])
      #expect(page.html.contains("id=\"date-error\""))
      page = try await browser.submit(page, ["date": "1999-12-31", "longAgo": "1999-12-31"])
      #expect(page.status == 422 && !page.html.contains("id=\"date-error\""))
      // Agreed to, it is not asked about again.
      page = try await browser.submit(page, ["date": "1999-12-31"])
      #expect(!page.html.contains("id=\"date-error\""))
      #expect(try await browser.open("/report/description").values["date"] == "1999-12-31")
    }
  }

  @Test("What is not kept of what was typed is told before the report goes on")
  func adjusted() async throws {
    let browser = PageBrowser(server)
    var page = try await browser.open("/report/chip")
    page = try await browser.submit(page, ["chip": "123456789012345678 abc"])
    #expect(page.status == 200 && page.path == "/report/chip")
    #expect(page.has("reportMissingPet.adjusted") && page.html.contains("left out: abc"))
    #expect(page.html.contains("at most 15 digits"))
    #expect(page.values["chip"] == "12345-67890-12345")
    page = try await browser.submit(page)
    #expect(page.path == "/report/photo" && !page.has("reportMissingPet.adjusted"))
    let other = PageBrowser(server)
    page = try await other.submit(
      try await other.report(),
      PageBrowser.contact.merging(["reward": String(repeating: "r", count: 121)]) { $1 })
    #expect(page.path == "/report/contact" && page.has("reportMissingPet.adjusted"))
    #expect(page.values["reward"] == String(repeating: "r", count: 120))
    #expect(try await other.open("/announcements").has("landingPage.empty"))
    #expect(try await other.submit(page).path == "/report/summary")
  }

  @Test("Another species clears the race that stood there, not one that was typed for it")
  func species() async throws {
    let browser = PageBrowser(server)
    var page = try await browser.open("/report/description")
    page = try await browser.submit(page, ["species": "dog", "race": "Boxer"], action: "species")
    #expect(page.status == 200 && page.values["race"] == "Boxer")
    #expect(page.html.contains("list=\"races-dog\""))
    page = try await browser.submit(page, ["species": "cat"], action: "species")
    #expect(page.values["race"] == "" && page.html.contains("list=\"races-cat\""))
    page = try await browser.submit(page, ["species": "dog", "race": "Beagle"], action: "species")
    #expect(page.values["race"] == "Beagle")
  }

  @Test("Back and a change of language keep what was typed")
  func back() async throws {
    let browser = PageBrowser(server)
    var page = try await browser.open("/report/contact")
    page = try await browser.submit(page, PageBrowser.contact, action: "back")
    #expect(page.path == "/report/description")
    page = try await browser.open("/report/contact")
    #expect(page.values["name"] == "Ola Nowak")
    page = try await browser.submit(page, ["name": "Jan"], action: "language-pl")
    #expect(page.path == "/report/contact" && page.html.contains("lang=\"pl\""))
    #expect(page.values["name"] == "Jan" && page.has("ownersDetails.nameInput"))
  }

  @Test("A step that another tab has changed says so, shows both, and the next Continue works")
  func tabs() async throws {
    let browser = PageBrowser(server)
    let (one, two) = (
      try await browser.open("/report/contact"), try await browser.open("/report/contact")
    )
    _ = try await browser.submit(one, PageBrowser.contact)
    let told = try await browser.submit(two, ["name": "Jan", "phone": "600 222 333"])
    #expect(told.status == 409 && told.has("reportMissingPet.changed"))
    #expect(told.html.contains("Ola Nowak") && told.values["name"] == "Jan")
    let next = try await browser.submit(told)
    #expect(next.status == 422 && next.has("errorSummary"))  // other steps are missing
    #expect(try await browser.open("/report/contact").values["name"] == "Jan")
    // The same words again, as by a double click, are no change.
    let same = try await browser.submit(one, ["name": "Jan", "phone": "600 222 333"])
    #expect(same.status == 422)
  }

  @Test("Tabs at different steps lose nothing to each other")
  func twoSteps() async throws {
    let browser = PageBrowser(server)
    let (chip, contact) = (
      try await browser.open("/report/chip"), try await browser.open("/report/contact")
    )
    _ = try await browser.submit(contact, PageBrowser.contact, action: "back")
    #expect(try await browser.submit(chip, ["chip": "123456"]).path == "/report/photo")
    #expect(try await browser.open("/report/chip").values["chip"] == "12345-6")
    #expect(try await browser.open("/report/contact").values["name"] == "Ola Nowak")
  }

  @Test("Submitting many times at once makes one announcement")
  func doubleClick() async throws {
    let browser = PageBrowser(server)
    let page = try await browser.report()
    let (type, body) = page.form(PageBrowser.contact, action: "next", photo: nil)
    let headers = browser.headers.merging(["Content-Type": type]) { $1 }
    let statuses = try await withThrowingTaskGroup(of: Int.self) { [server] group in
      for _ in 0..<4 {
        group.addTask {
          try await server.send("POST", "/report/contact", headers, body: body).status
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(statuses == [303, 303, 303, 303])
    let list = try await server.send("GET", "/api/v1/announcements")
    #expect((list.json["announcements"] as? [Any])?.count == 1)
    #expect(try await browser.submit(page, PageBrowser.contact).path == "/report/summary")
  }

  @Test("Beginning anew asks first, and then nothing is left")
  func anew() async throws {
    let browser = PageBrowser(server)
    _ = try await browser.report()
    let ask = try await browser.open("/report?new=1")
    #expect(ask.has("reportMissingPet.new.confirm"))
    #expect(try await browser.open("/report/contact").status == 200)
    #expect(try await browser.post("/report", ["action": "new"]).path == "/report/chip")
    #expect(try await browser.open("/report/chip").values["chip"] == "")
    #expect(!(try await browser.open("/report/photo")).has("animalPhoto.confirmationCard"))
  }
}
