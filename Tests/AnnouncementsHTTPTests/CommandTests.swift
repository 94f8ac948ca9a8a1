import AnnouncementsHTTP
import Foundation
import TestReports
import TestPictures
import Testing

/// The commands with `--server`, run in the built program.
@Suite("Commands with a server")
struct CommandTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private var option: [String] { ["--server", server.address.description] }

  private func json(_ text: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }

  private func code(_ text: String) throws -> String? {
    (try json(text)["error"] as? [String: Any])?["code"] as? String
  }

  private func complete() throws {
    let photo = TestImage.folder.appending(path: "gps-exif.jpg").path
    for arguments in [
      ["chip"], ["photo", photo],
      ["describe", "--species", "dog", "--race", "Beagle", "--gender", "female"],
      ["contact", "--name", "Jan", "--phone", "+48 600 700 800"],
    ] {
      let outcome = try server.run(["report"] + arguments)
      try #require(outcome.exitCode == 0, "\(outcome)")
    }
  }

  @Test("A report is submitted to a server, listed there and closed there, and nowhere else")
  func submitting() throws {
    try complete()
    let submitted = try server.run(["report", "submit", "--json"] + option)
    #expect(submitted.exitCode == 0, "\(submitted)")
    let answer = try json(submitted.out)
    let password = try #require(answer["managementPassword"] as? String)
    let announcement = try #require(answer["announcement"] as? [String: Any])
    let id = try #require(announcement["id"] as? String)
    #expect((announcement["photoUrl"] as? String)?.hasPrefix(option[1] + "/images/") == true)
    // Submitting again returns the same announcement, without the password.
    let again = try json(try server.run(["report", "submit", "--json"] + option).out)
    #expect(again["managementPassword"] == nil)
    #expect((again["announcement"] as? [String: Any])?["id"] as? String == id)

    let listed = try server.run(
      ["announcements", "--json"], environment: ["PETSPOT_SERVER": option[1]])
    #expect(try json(listed.out)["id"] as? String == id)
    #expect(try server.run(["announcements", "--json"]).out == "")

    let wrong = try server.run(
      ["announcements", "close", id, "--password", "AAAA-BBBB-CCCC", "--json"] + option)
    #expect(try wrong.exitCode == 65 && code(wrong.out) == "wrong-password")
    for _ in 0..<2 {
      let closed = try server.run(
        ["announcements", "close", id, "--password", password, "--json"] + option)
      #expect(closed.exitCode == 0, "\(closed)")
      let told = try json(closed.out)["announcement"] as? [String: Any]
      #expect(told?["id"] as? String == id && told?["status"] as? String == "Closed")
    }
    #expect(try server.run(["announcements", "--json"] + option).out == "")
    let erased = try server.run(
      ["announcements", "erase", id, "--password", password, "--json"] + option)
    #expect(erased.exitCode == 0, "\(erased)")
    #expect(erased.out == "{\"id\":\"\(id)\",\"erased\":true}\n")
    let gone = try server.run(["announcements", "show", id, "--json"] + option)
    #expect(gone.exitCode == 66, "\(gone)")
  }

  @Test("A report is kept while its server is down, and submitted once it is up")
  func laterSubmitted() throws {
    try complete()
    server.kill()
    let failed = try server.run(["report", "submit", "--json"] + option)
    #expect(try failed.exitCode == 69 && code(failed.out) == "unavailable")
    #expect(failed.err.contains(option[1] + " can't be reached. Check the address"))
    try server.start()
    let submitted = try server.run(["report", "submit", "--json"] + option)
    #expect(try json(submitted.out)["managementPassword"] is String, "\(submitted)")
    // The draft's password is the server's and was already shown, so clearing shows none.
    let cleared = try server.run(["report", "clear", "--json"] + option)
    #expect(cleared.exitCode == 0)
  }

  @Test(
    "An invalid address is a usage error, and nothing is sent",
    arguments: [
      ["announcements"], ["announcements", "close", "x", "--password", "y"], ["report", "submit"],
      ["report", "status"],
    ])
  func wrongAddress(_ command: [String]) throws {
    for address in ["pets.example.org", "ftp://example.org", "http://jan:code@example.org", ""] {
      let outcome = try server.run(command + ["--json", "--server", address])
      #expect(try outcome.exitCode == 64 && code(outcome.out) == "usage", "\(address) \(outcome)")
      #expect(outcome.err.contains("http:// or https://"))
    }
    let named = try server.run(command, environment: ["PETSPOT_SERVER": "nonsense"])
    #expect(named.exitCode == 64)
  }
}
