import Announcements
import Foundation
import ReportFlow
import Testing

@testable import PetSpotServer

/// Tests of how owners reach their page, and of what others see after an announcement is closed.
@Suite("Codes of owners, and closed announcements")
struct OwnerAccessTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  private func publish(_ fields: [String: Any]) async throws -> (id: String, code: String) {
    let made = try await server.post(
      "/api/v1/announcements", json: ServedPetspot.report.merging(fields) { $1 })
    let id = try #require(made.json["id"] as? String)
    let code = try #require(made.json["managementPassword"] as? String)
    let photo = try ServedPetspot.photo("orientation-1.jpg")
    #expect(try await server.upload(photo, to: id, ServedPetspot.basic(id, code)).status == 201)
    return (id, code)
  }

  @Test(
    "A wrong code stays in its field, and the page says what is wrong with it",
    arguments: [
      ("AAAA-AAAA-AAAA", "you typed 12"), ("oooo-AAAA-AAAA-AAAA", "O doesn’t occur"),
      ("AAAA-AAAA-AAAA-AAAA", "The code is wrong. Check it"),
    ])
  func wrongCode(_ code: String, _ mistake: String) async throws {
    let (id, _) = try await publish([:])
    let page = try await PageBrowser(server).post("/announcements/\(id)/owner", ["code": code])
    #expect(page.status == 403 && page.values["code"] == code && page.html.contains(mistake))
  }

  @Test("The browser that published needs no code, until it forgets the code")
  func publisher() async throws {
    let browser = PageBrowser(server)
    let page = try await browser.publish(try await browser.report())
    let code = try #require(page.text("summary.password"))
    let id = try #require(page.html.firstMatch(of: #/\/announcements\/([0-9a-f-]{36})\/poster/#)).1
    let path = "/announcements/\(id)/owner"
    #expect(try await browser.open(path).has("owner.save"))
    #expect(try await browser.open("/report/summary?forget=1").has("summary.closeButton"))
    #expect(try await browser.open("/report/summary").text("summary.password") == code)
    _ = try await browser.post("/report/summary", ["action": "close"])
    #expect(try await browser.open(path).has("owner.code"))
    #expect(try await PageBrowser(server).open(path).has("owner.code"))
  }

  @Test("If the chip is announced already, the page links to that announcement and to its code")
  func duplicate() async throws {
    let (id, _) = try await publish(["microchipNumber": "12345"])
    let browser = PageBrowser(server)
    let page = try await browser.publish(try await browser.report())
    #expect(page.path == "/report/review" && page.html.contains("href=\"/announcements/\(id)\""))
    #expect(page.html.contains("href=\"/announcements/\(id)/owner\""))
  }

  @Test(
    "The page of a pet that is home says so in its title and its preview; any other is closed",
    arguments: [
      ("en", "home", "Rex is back home", "Thank you to everyone"),
      ("pl", "home", "Rex jest już w domu", "Dziękujemy wszystkim"),
      ("en", "other", "Report closed", "The search for Rex is over"),
    ])
  func closed(
    _ language: String, _ reason: String, _ title: String, _ thanks: String
  ) async throws {
    let (id, code) = try await publish(["petName": "Rex"])
    let (browser, path) = (PageBrowser(server, language: language), "/announcements/\(id)/owner")
    _ = try await browser.post(path, ["code": code])
    #expect(try await browser.open(path + "?close=1").html.contains("value=\"\(reason)\""))
    _ = try await browser.post(path + "/close", ["reason": reason])
    let page = try await browser.open("/announcements/\(id)")
    #expect(page.status == 410 && page.html.contains(thanks))
    #expect(page.html.contains("<bdi>\(title)</bdi></h1>"))
    #expect(page.html.contains("og:title\" content=\"" + (reason == "home" ? title : thanks)))
    #expect(!page.html.contains("og:image"))
    // Reopening removes the reason.
    _ = try await browser.post(path + "/reopen", [:])
    _ = try await browser.post(path + "/close", [:])
    let other = try await browser.open("/announcements/\(id)")
    #expect(other.html.contains("is back home") == false)
  }

  @Test("Clients of the API give the reason too, and no other than the known ones")
  func reason() async throws {
    let (id, code) = try await publish([:])
    let (path, login) = ("/api/v1/announcements/\(id)", ServedPetspot.basic(id, code))
    let wrong = try await server.send("DELETE", path + "?reason=lost", login)
    #expect(wrong.status == 400 && wrong.error["field"] as? String == "reason")
    #expect(try await server.send("DELETE", path + "?reason=home", login).status == 204)
    let page = try await PageBrowser(server).open("/announcements/\(id)")
    #expect(page.title.hasPrefix("The dog is back home"))
  }

  @Test("Lost codes: the address's form is checked, and each page says how to go on")
  func lostCode() async throws {
    let mailing = try ServedPetspot([
      "--mail", "smtp://127.0.0.1:9?from=petspot@example.org", "--operator-contact",
      "us@example.org",
    ])
    let browser = PageBrowser(mailing)
    let page = try await browser.publish(try await browser.report())
    #expect(page.text("summary.mailed")?.contains("ola@example.org") == true)
    let id = try #require(page.html.firstMatch(of: #/\/announcements\/([0-9a-f-]{36})\/poster/#)).1
    let path = "/announcements/\(id)/owner/lost-code"
    for (address, isAsked) in [("", false), ("nonsense", false), ("eve@example.com", true)] {
      let page = try await browser.post(path, ["email": address])
      #expect(page.has("owner.lostCode.enter") == isAsked && page.has("errorSummary") != isAsked)
      #expect(page.html.contains("run this site") && page.html.contains("mailto:us@example.org"))
    }
  }

  @Test("Where a client prefers no language of ours, pages are in the operator's")
  func language() async throws {
    let polish = try ServedPetspot(["--lang", "pl"])
    for (language, shown) in [("", "pl"), ("de", "pl"), ("en", "en")] {
      let page = try await PageBrowser(polish, language: language).open("/")
      #expect(page.html.contains("<html lang=\"\(shown)\">"))
    }
  }
}
