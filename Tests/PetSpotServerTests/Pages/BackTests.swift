import Foundation
import TestPictures
import Testing

/// Tests of pages that a browser loads again, with Back or a reload. Each is a response to GET.
@Suite("Back and reload")
struct BackTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  private func post(
    _ path: String, _ fields: [String: String], _ browser: PageBrowser
  ) async throws -> Answered {
    try await server.send(
      "POST", path, browser.headers.merging(["Content-Type": Page.urlencoded]) { $1 },
      body: Page.encoded(fields))
  }

  @Test(
    "A refused step redirects to its own address, which shows the errors until they are corrected",
    arguments: [
      ("description", ["age": "41", "petName": "Rex"], "age", "4"),
      ("contact", ["name": "Ola", "phone": "12"], "phone", "600 100 200"),
    ])
  func refused(
    _ step: String, _ fields: [String: String], _ wrong: String, _ right: String
  ) async throws {
    let browser = PageBrowser(server)
    let path = "/report/" + step
    _ = try await browser.open(path)
    let answer = try await post(path, fields, browser)
    #expect(answer.status == 303 && answer.header("Location") == path)
    for _ in 1...2 {
      let page = try await browser.open(path)
      #expect(page.status == 200 && page.has("errorSummary"))
      #expect(page.html.contains("id=\"\(wrong)-error\""))
      for (name, text) in fields { #expect(page.values[name] == text) }
    }
    // The values that a script saves are validated again, and fields that didn't change are still invalid.
    let seen = try await browser.open(path).values["seen"] ?? ""
    let kept = try await post(path + "/typed", ["seen": seen, wrong: right], browser)
    #expect(kept.status == 204)
    let page = try await browser.open(path)
    #expect(!page.html.contains("id=\"\(wrong)-error\"") && page.values[wrong] == right)
    #expect(page.has("errorSummary") == (step == "description"))
  }

  @Test("A step that nobody has tried to continue shows no errors")
  func untried() async throws {
    let browser = PageBrowser(server)
    _ = try await browser.open("/report/contact")
    let kept = try await post("/report/contact/typed", ["phone": "12"], browser)
    #expect(kept.status == 204)
    #expect(!(try await browser.open("/report/contact")).has("errorSummary"))
  }

  @Test(
    "After publishing, Back leads to the code or the announcement, and the next report is a new one"
  )
  func published() async throws {
    let browser = PageBrowser(server)
    let steps = ["chip", "photo", "description", "contact", "review"].map { "/report/" + $0 }
    #expect(try await browser.publish(try await browser.report()).path == "/report/summary")
    for path in steps {
      #expect(try await browser.open(path).path == "/report/summary", "\(path)")
      guard path != "/report/photo" else { continue }
      // A tab that was left open doesn't create a draft from its content.
      #expect(try await browser.post(path, ["name": "Jan"]).path == "/report/summary", "\(path)")
    }
    let late = try await post("/report/contact/typed", ["name": "Jan"], browser)
    #expect(late.status == 409 && browser.cookies["draft"] == nil)
    let closed = try await browser.post("/report/summary", ["action": "close"])
    let id = try #require(closed.html.firstMatch(of: #/animalList\.item\.([0-9a-f-]{36})/#)).1
    for path in steps + ["/report/summary"] {
      #expect(try await browser.open(path).path == "/announcements/\(id)", "\(path)")
    }
    #expect(try await browser.open("/report").path == "/report/chip")
    for path in steps.dropLast() { #expect(try await browser.open(path).path == path) }
  }

  @Test("Publishing after another tab has changed a step leads to that step with a reason")
  func publishedTooEarly() async throws {
    let browser = PageBrowser(server)
    let review = try await browser.submit(try await browser.report(), PageBrowser.contact)
    let fields = try await browser.open("/report/description").values
    _ = try await post(
      "/report/description/typed", ["seen": fields["seen"] ?? "", "age": "6"], browser)
    let page = try await browser.post("/report/review", ["seen": review.values["seen"] ?? ""])
    #expect(page.path == "/report/description" && page.has("errorSummary"))
    #expect(page.html.contains("wasn’t published, because this step was changed"))
    let next = try await browser.submit(page)
    #expect(next.path == "/report/review")
    #expect(!(try await browser.open("/report/description")).has("errorSummary"))
  }

  @Test("A refused form too long for a cookie is shown directly, without a redirect")
  func longForm() async throws {
    let made = try await server.post("/api/v1/announcements", json: ServedPetspot.report)
    let id = try #require(made.json["id"] as? String)
    let code = try #require(made.json["managementPassword"] as? String)
    _ = try await server.upload(
      try ServedPetspot.photo("orientation-1.jpg"), to: id, ServedPetspot.basic(id, code))
    let (browser, path) = (PageBrowser(server), "/announcements/\(id)/owner")
    _ = try await browser.post(path, ["code": code])
    for (text, status) in [
      ("x", 200), (String(repeating: "ż", count: 500), 200),
      (String(repeating: "👩‍👩‍👧‍👦", count: 500), 422),
    ] {
      let page = try await browser.post(
        path, ["action": "save", "phone": "12", "description": text])
      #expect(page.status == status && page.html.contains("id=\"phone-error\""))
      #expect(page.values["description"] == text)
    }
  }
}
