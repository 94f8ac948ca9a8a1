import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import TestPictures
import Testing

@Suite("The report as pages")
struct ReportPagesTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  @Test(
    "A report works without script from the start page to its code, and the code closes it",
    arguments: [
      ("en", "Your contact details", "LOST"),
      ("pl-PL,pl;q=0.9", "Twoje dane kontaktowe", "ZAGINIONE"),
    ])
  func wholeWay(_ language: String, _ heading: String, _ badge: String) async throws {
    let browser = PageBrowser(server, language: language)
    let landing = try await browser.open("/")
    #expect(landing.has("landingPage.empty") && landing.has("home.hero.lostPetButton"))
    let contact = try await browser.report()
    #expect(contact.html.contains("<h1>\(heading)</h1>"))
    let review = try await browser.submit(contact, PageBrowser.contact)
    #expect(review.path == "/report/review" && review.has("review.publishButton"))
    #expect(review.answer.header("Cache-Control") == "no-store")
    for step in ["chip", "photo", "description", "contact"] {
      #expect(review.has("review.change.\(step)"))
    }
    for text in ["Max &amp; &quot;Co&quot;", "Blue collar.", "Ola Nowak", "100 zł", "12345"] {
      #expect(review.html.contains(text), "\(text)")
    }
    #expect(try await browser.open("/announcements").has("landingPage.empty"))
    #expect(try await browser.open("/report").path == "/report/review")
    let summary = try await browser.post(
      "/report/review", ["seen": try #require(review.values["seen"])])
    #expect(summary.path == "/report/summary")
    #expect(summary.answer.header("Cache-Control") == "no-store")
    let code = try #require(summary.text("summary.password"))
    // The start of a report begins a new one, and the code has a link of its own.
    #expect(try await browser.open("/report").path == "/report/chip")
    #expect(try await browser.open("/report/contact").values["name"] == "")
    #expect(try await browser.open("/").has("landingPage.lastCode"))
    #expect(try await browser.open("/report/summary").text("summary.password") == code)
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
    #expect(closed.has("landingPage.note") && browser.cookies["published"] == nil)
    #expect(!closed.has("landingPage.lastCode"))
    #expect(try await browser.open("/report/summary").path == "/report/chip")
    let owner = "/announcements/\(id)/owner"
    #expect(try await browser.post(owner, ["code": code]).has("owner.close"))
    _ = try await browser.post(owner + "/close", [:])
    let gone = try await browser.open("/announcements/\(id)")
    #expect(gone.status == 410 && gone.html.contains("Max"))
    #expect(!gone.html.contains("+48 600 111 222"))
    #expect(try await browser.open("/").has("landingPage.empty"))
  }

  @Test("Refused chips are counted, so that numbers can't be probed")
  func refusedChipsAreCounted() async throws {
    let first = PageBrowser(server)
    let published = try await first.publish(try await first.report())
    #expect(published.path == "/report/summary")
    let other = PageBrowser(server)
    var (page, statuses) = (
      try await other.submit(try await other.report(), PageBrowser.contact), [Int]()
    )
    for _ in 1...9 where page.status != 429 {
      page = try await other.post("/report/review", ["seen": page.values["seen"] ?? ""])
      statuses.append(page.status)
      if page.status != 429 {
        #expect(page.path == "/report/review" && page.html.contains("href=\"/report/chip\""))
      }
    }
    #expect(Set(statuses.dropLast()) == [200] && (6...8).contains(statuses.count))
    #expect(page.status == 429 && page.answer.header("Retry-After") != nil)
    #expect(page.has("errorSummary"))
  }

  @Test("A refused step shows every error twice, keeps the input, and marks its title as an error")
  func refused() async throws {
    let browser = PageBrowser(server)
    let empty = try await browser.submit(try await browser.open("/report/photo"))
    #expect(empty.path == "/report/photo" && empty.title.hasPrefix("Error: "))
    #expect(empty.text("animalPhoto.toast") == "Photo is mandatory")
    let page = try await browser.submit(
      try await browser.open("/report/description"),
      ["age": "99", "latitude": "91", "petName": "<script>alert(1)</script>", "gender": ""])
    #expect(page.status == 200 && page.title.hasPrefix("Error: "))
    for field in ["species", "race", "gender", "age", "latitude", "longitude"] {
      #expect(page.html.contains("href=\"#\(field)\""), "\(field)")
      #expect(page.html.contains("id=\"\(field)-error\""), "\(field)")
    }
    #expect(page.values["petName"] == "<script>alert(1)</script>" && page.values["age"] == "99")
    #expect(!page.html.contains("<script>alert"))
    #expect(page.html.contains("autofocus") && page.has("animalDescription.toast"))
    let again = try await browser.open("/report/description")
    #expect(again.html == page.html)
  }

  @Test("Polish pages have Polish errors, and accept a decimal comma")
  func polish() async throws {
    let browser = PageBrowser(server, language: "pl")
    let page = try await browser.submit(
      try await browser.open("/report/description"), ["latitude": "52,5"])
    #expect(page.title.hasPrefix("Błąd: ") && page.html.contains("lang=\"pl\""))
    #expect(!page.html.contains("id=\"latitude-error\""))
    #expect(page.html.contains("id=\"longitude-error\""))
  }

  @Test("A future day is refused and the previous day stays; a missing day is requested")
  func days() async throws {
    let browser = PageBrowser(server)
    var page = try await browser.open("/report/description")
    page = try await browser.submit(page, ["date": "2026-01-05"], action: "species")
    #expect(page.values["date"] == "2026-01-05")
    page = try await browser.submit(page, ["date": "2999-01-01"])
    #expect(page.html.contains("id=\"date-error\""))
    #expect(page.values["date"] == "2026-01-05")
    page = try await browser.submit(page, ["date": ""])
    #expect(page.html.contains("id=\"date-error\""))
  }

  @Test(
    "A day more than 20 years ago needs one confirmation, and is never refused",
    arguments: [("en", "Is that the right day?"), ("pl", "Czy to właściwy dzień?")])
  func longAgo(_ language: String, _ question: String) async throws {
    let browser = PageBrowser(server, language: language)
    _ = try await browser.submit(
      try await browser.open("/report/photo"),
      photo: ("a.jpg", try ServedPetspot.photo("orientation-6.jpg")))
    var page = try await browser.open("/report/description")
    #expect(!page.has("animalDescription.longAgo"))
    let form = PageBrowser.description.merging(["date": "1999-12-31"]) { $1 }
    page = try await browser.submit(page, form)
    #expect(page.path == "/report/description" && page.has("animalDescription.longAgo"))
    #expect(page.html.contains("1999-12-31") && page.html.contains(question))
    #expect(!page.has("errorSummary") && !page.html.contains("id=\"date-error\""))
    #expect(page.values["date"] == "1999-12-31" && page.values["age"] == "5")
    // Another day needs another confirmation.
    page = try await browser.submit(page, ["date": "1999-12-30"])
    #expect(page.has("animalDescription.longAgo") && page.html.contains("1999-12-30"))
    page = try await browser.submit(page)
    #expect(page.path == "/report/contact")
    // A confirmed day needs no second confirmation.
    page = try await browser.open("/report/description")
    #expect(page.values["date"] == "1999-12-30" && !page.has("animalDescription.longAgo"))
    #expect(try await browser.submit(page).path == "/report/contact")
  }

  /// Decision 45. Pages don't contain the script's field, so a plain form can't submit it.
  @Test(
    "Only an unedited position that the script reports from the browser counts as GPS",
    arguments: [
      (["captureMethod": "gps"], "manual", "notDetermined"),
      (["captured": "52.22970 21.01220 @"], "gps", "authorizedWhenInUse"),
      (["captured": "52.22971 21.01220 @"], "manual", "notDetermined"),
      (["captured": "52.22970 21.01220"], "manual", "notDetermined"),
      (["captured": "edited", "locationPermission": "denied"], "manual", "denied"),
      (
        ["captured": "edited", "locationPermission": "authorizedWhenInUse"], "manual",
        "authorizedWhenInUse"
      ),
    ])
  func captured(_ told: [String: String], _ method: String, _ permission: String) async throws {
    let browser = PageBrowser(server)
    let page = try await browser.open("/report/description")
    #expect(page.values["captured"] == nil && page.values["captureMethod"] == nil)
    let found = Date(timeIntervalSinceNow: -5)
    let moment = String(Int(found.timeIntervalSince1970 * 1000))
    _ = try await browser.submit(
      page,
      ["latitude": "52.22970", "longitude": "21.01220"]
        .merging(told.mapValues { $0.replacing("@", with: moment) }) { $1 })
    let capture = try await server.capture()
    #expect(capture.captureMethod.rawValue == method)
    #expect(capture.permissionStatus.rawValue == permission)
    // The timestamp is that of the position, not that of the request (seed 021, FR-009).
    if method == "gps" { #expect(abs(capture.timestamp.timeIntervalSince(found)) < 0.01) }
  }

  @Test(
    "An edited position is manual, even with equal values, but keeps its permission"
  )
  func capturedAndEdited() async throws {
    for latitude in ["52.3", "52.22970"] {
      let browser = PageBrowser(server)
      let moment = String(Int(Date().timeIntervalSince1970 * 1000))
      let position = ["latitude": "52.22970", "longitude": "21.01220"]
      var page = try await browser.open("/report/description")
      page = try await browser.submit(
        page, position.merging(["captured": "52.22970 21.01220 \(moment)"]) { $1 })
      #expect(page.has("errorSummary"))  // the other fields are missing
      #expect(try await server.capture().captureMethod == .gps)
      _ = try await browser.submit(page)
      #expect(try await server.capture().captureMethod == .gps)
      _ = try await browser.submit(page, ["latitude": latitude, "captured": "edited"])
      let capture = try await server.capture()
      #expect(capture.captureMethod == .manual)
      #expect(capture.permissionStatus == .authorizedWhenInUse)
    }
  }

  @Test("The photo's position is manual, even after an edit without script")
  func photoPosition() async throws {
    let browser = PageBrowser(server)
    var page = try await browser.submit(
      try await browser.open("/report/photo"),
      photo: ("a.jpg", try ServedPetspot.photo("gps-exif.jpg")))
    page = try await browser.submit(page, [:], action: "photoPosition")
    #expect(try await server.capture().captureMethod == .manual)
    _ = try await browser.submit(page, ["latitude": "52"])
    let capture = try await server.capture()
    #expect(capture.captureMethod == .manual && capture.permissionStatus == .notDetermined)
  }

  @Test(
    "Every step has its title, its progress and Back at the top",
    arguments: [
      ("chip", "Microchip number", "1/4"), ("photo", "Pet photo", "2/4"),
      ("description", "Animal description", "3/4"), ("contact", "Your contact details", "4/4"),
    ])
  func heads(_ step: String, _ title: String, _ progress: String) async throws {
    let page = try await PageBrowser(server).open("/report/\(step)")
    #expect(page.html.contains("<h1>\(title)</h1>"))
    let head = try #require(page.html.range(of: "<h1>"))
    let above = page.html[..<head.lowerBound]
    let back = step == "chip" ? "missingPet.microchip.backButton" : "reportMissingPet.backButton"
    #expect(above.contains("data-testid=\"\(back)\"") && above.contains(">\(progress)<"))
    #expect(page.html.components(separatedBy: "value=\"back\"").count == 2)
  }

  @Test("Input that can't be kept is reported before the report continues")
  func adjusted() async throws {
    let browser = PageBrowser(server)
    var page = try await browser.open("/report/chip")
    page = try await browser.submit(page, ["chip": "123456789012345678 abc"])
    #expect(page.status == 200 && page.path == "/report/chip")
    #expect(page.has("reportMissingPet.adjusted") && page.html.contains("left out: abc"))
    #expect(page.html.contains("up to 15 digits"))
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
    #expect(try await other.submit(page).path == "/report/review")
  }

  @Test("Another species clears the old race, but not one that was typed for it")
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

  @Test("Back and a change of language keep the input")
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

  @Test(
    "A step that another tab has changed shows both versions, and the next Continue works"
  )
  func tabs() async throws {
    let browser = PageBrowser(server)
    let (one, two) = (
      try await browser.open("/report/contact"), try await browser.open("/report/contact")
    )
    _ = try await browser.submit(one, PageBrowser.contact)
    let told = try await browser.submit(two, ["name": "Jan", "phone": "600 222 333"])
    #expect(told.status == 200 && told.has("reportMissingPet.changed"))
    #expect(told.html.contains("Ola Nowak") && told.values["name"] == "Jan")
    // After leaving by a link, the page shows both versions again.
    let left = try await browser.open("/report/contact")
    #expect(left.has("reportMissingPet.changed") && left.values["name"] == "Jan")
    let next = try await browser.submit(told)
    // The errors are about the other steps.
    #expect(!next.has("reportMissingPet.changed") && next.has("errorSummary"))
    #expect(try await browser.open("/report/contact").values["name"] == "Jan")
    // Submitting equal values, as with a double click, is not a change.
    let same = try await browser.submit(one, ["name": "Jan", "phone": "600 222 333"])
    #expect(same.has("errorSummary"))
  }

  /// Seed 021, FR-004.
  @Test("Input is kept, valid or not, has no effect yet, and overwrites no other tab")
  func typed() async throws {
    let browser = PageBrowser(server)
    let page = try await browser.open("/report/contact")
    func type(_ fields: [String: String]) async throws -> Answered {
      try await server.send(
        "POST", "/report/contact/typed",
        browser.headers.merging(["Content-Type": Page.urlencoded]) { $1 },
        body: Page.encoded(fields))
    }
    let seen = try #require(page.values["seen"])
    let first = try await type(["seen": seen, "name": "Ola", "phone": "12", "email": "x@"])
    #expect(first.status == 204 && first.body.isEmpty)
    let after = try await browser.open("/report/contact")
    #expect(after.status == 200 && after.values["phone"] == "12")
    // Without mail, no page asks for an address.
    #expect(after.values["email"] == nil)
    let next = try #require(first.header("seen"))
    #expect(after.values["seen"] == next && next != seen)
    #expect(try await type(["seen": seen, "name": "Jan", "phone": "12"]).status == 409)
    #expect(try await browser.open("/report/contact").values["name"] == "Ola")
    #expect(try await type(["seen": next, "name": "Ola N"]).status == 204)
    for (path, fields) in [
      ("chip", ["chip": "123"]),
      ("description", ["petName": "Rex", "age": "99", "species": "dog"]),
    ] {
      let answer = try await server.send(
        "POST", "/report/\(path)/typed",
        browser.headers.merging(["Content-Type": Page.urlencoded]) { $1 },
        body: Page.encoded(fields))
      #expect(answer.status == 204)
    }
    let description = try await browser.open("/report/description")
    #expect(description.values["age"] == "99" && description.values["species"] == "dog")
    #expect(try await browser.open("/report/chip").values["chip"] == "123")
    #expect(try await browser.open("/report/review").path == "/report/chip")
  }

  @Test("Tabs at different steps don't overwrite each other")
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

  @Test("Submitting many times at once creates one announcement")
  func doubleClick() async throws {
    let browser = PageBrowser(server)
    let page = try await browser.submit(try await browser.report(), PageBrowser.contact)
    let body = Page.encoded(["seen": page.values["seen"] ?? "", "action": "publish"])
    let headers = browser.headers.merging(["Content-Type": Page.urlencoded]) { $1 }
    let statuses = try await withThrowingTaskGroup(of: Int.self) { [server] group in
      for _ in 0..<4 {
        group.addTask {
          try await server.send("POST", "/report/review", headers, body: body).status
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(statuses == [303, 303, 303, 303])
    let list = try await server.send("GET", "/api/v1/announcements")
    #expect((list.json["announcements"] as? [Any])?.count == 1)
    let again = try await browser.post("/report/review", ["seen": page.values["seen"] ?? ""])
    #expect(again.path == "/report/summary")
  }

  @Test("A report that another tab changed after its review isn't published before a new review")
  func changedSinceTheReview() async throws {
    let browser = PageBrowser(server)
    let review = try await browser.submit(try await browser.report(), PageBrowser.contact)
    _ = try await browser.submit(
      try await browser.open("/report/contact"), ["phone": "600 222 333"])
    let seen = try #require(review.values["seen"])
    let told = try await browser.post("/report/review", ["seen": seen])
    #expect(told.status == 200 && told.has("errorSummary") && told.html.contains("600 222 333"))
    #expect(try await browser.open("/announcements").has("landingPage.empty"))
    let next = try await browser.post("/report/review", ["seen": told.values["seen"] ?? ""])
    #expect(next.path == "/report/summary")
  }

  @Test("The code is shown for an hour, and only to the browser that published")
  func codeForAnHour() async throws {
    let browser = PageBrowser(server)
    #expect(try await browser.publish(try await browser.report()).has("summary.password"))
    let parts = try #require(browser.cookies["published"]).split(separator: ".").map(String.init)
    let end = try #require(Int(parts[1]))
    #expect(abs(Double(end) - Date().timeIntervalSince1970 - 3600) < 60)
    let longer = "\(parts[0]).\(end + 3600).\(parts[2])"
    for (cookie, isShown) in [
      (parts.joined(separator: "."), true), (longer, false), ("a.9e9.b", false),
    ] {
      let answer = try await server.send(
        "GET", "/report/summary", ["Cookie": "published=\(cookie)"])
      #expect((answer.status == 200) == isShown, "\(cookie)")
    }
    #expect(try await PageBrowser(server).open("/report/summary").path == "/report/chip")
  }

  @Test("Starting over asks first, and then deletes everything")
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

extension ServedPetspot {
  /// Returns the position that step 3 of the browser's draft has. The draft that was written last is the browser's.
  fileprivate func capture() async throws -> LocationCapture {
    let stores = try Stores.open(
      CacheFolder(path: cache.path), pool: .shared, decoding: .inProcess, timeout: 10)
    let id = try #require(try await stores.drafts.ids().last)
    return try #require(try await stores.drafts.load(id)?.draft.descriptionInput.capture)
  }
}
