import Foundation
import TestPictures
import Testing

/// Tests of `petspot browse`: read-only access to the library, from this machine only and at a secret address.
@Suite final class BrowseTests {
  private let cache = FileManager.default.temporaryDirectory.appending(
    path: "browse-\(UUID().uuidString)")
  private let server: ServedPetspot
  private let secret: String

  init() throws {
    let photos = cache.appending(path: "../photos-\(UUID().uuidString)").standardizedFileURL
    for (name, image) in [
      ("dogs/Rex & Łatek.jpg", "gps-exif.jpg"),
      ("b\u{1B}[2J\u{202E}/turned.jpg", "orientation-6.jpg"),
      ("top.webp", "alpha-lossy.webp"),
    ] {
      let file = photos.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: TestImage.folder.appending(path: image), to: file)
    }
    let importing = Process()
    importing.executableURL = URL(filePath: Petspot.path)
    importing.arguments = ["import", photos.path, "--quiet", "--cache", cache.path]
    try importing.run()
    importing.waitUntilExit()
    try FileManager.default.removeItem(at: photos)
    server = try ServedPetspot(command: "browse", cache: cache)
    secret = URL(string: server.base)?.path() ?? ""
  }

  private func page(_ path: String) async throws -> String {
    let answer = try await server.send("GET", secret + path)
    #expect(answer.status == 200, "\(path): \(answer.status)")
    #expect(answer.header("Cache-Control") == "no-store" && answer.cookies.isEmpty)
    #expect(answer.header("Referrer-Policy") == "no-referrer")
    return String(decoding: answer.body, as: UTF8.self)
  }

  /// Returns the addresses of links or pictures in a page that contain a text.
  private func addresses(_ page: String, _ part: String) -> [String] {
    page.matches(of: /(?:href|src)="([^"]+)"/).map { String($0.output.1) }
      .filter { $0.contains(part) }.map { $0.replacing("&amp;", with: "&") }
  }

  @Test func theAddressIsSecretAndOfThisMachine() async throws {
    #expect(
      secret.wholeMatch(of: /\/[0-9a-f]{32}\//) != nil && server.base.hasPrefix("http://127.0.0.1:")
    )
    for path in ["/", "/report", "/api/v1/announcements", "/" + String(repeating: "0", count: 32)] {
      #expect(try await server.send("GET", path).status == 404, "\(path)")
    }
    for host in ["localhost", "pets.example.org"] {
      let answer = try await server.send("GET", secret, ["Host": "\(host):\(server.port)"])
      #expect(answer.status == 421, "\(host)")
    }
    for method in ["POST", "PUT", "DELETE"] {
      #expect(try await server.send(method, secret).status == 405)
    }
    #expect(server.end(SIGINT) == 0)
  }

  @Test func photosAreShownByMonthFolderAndWords() async throws {
    let all = try await page("")
    #expect(addresses(all, "/photos/").count == 3)
    #expect(all.contains("November 2026</h2>") && all.contains("No date</h2>"), "\(all)")
    #expect(all.contains("Rex &amp; Łatek.jpg"))
    // Control characters in the names of folders are escaped, too.
    #expect(all.contains("b\\x1B[2J\\u{202E}"), "\(all)")
    #expect(!all.unicodeScalars.contains { ["\u{1B}", "\u{202E}"].contains($0) })
    let found = try await page("?q=LATEK")
    #expect(addresses(found, "/photos/").count == 1 && !found.contains("turned.jpg"))
    #expect(addresses(try await page("?month=2026-11"), "/photos/").count == 2)
    let folder = try await page("?folder=dogs")
    #expect(addresses(folder, "/photos/").count == 1)
    #expect(try await page("?q=nothing").contains("library.empty"))
    let pictures = addresses(all, "/images/")
    for picture in pictures {
      let answer = try await server.send("GET", picture)
      #expect(answer.status == 200 && answer.header("Cache-Control") == "no-store")
    }
    #expect(pictures.count == 3)
  }

  @Test func aPhotoIsShownBetweenItsNeighbors() async throws {
    let second = try #require(addresses(try await page(""), "/photos/").dropFirst().first)
    let answer = try await server.send("GET", second)
    let shown = String(decoding: answer.body, as: UTF8.self)
    #expect(shown.contains(#"rel="prev""#) && shown.contains(#"rel="next""#), "\(shown)")
    #expect(shown.contains("petspot attach --asset"))
    let picture = try #require(addresses(shown, "/images/").first)
    #expect(try await server.send("GET", picture).status == 200)
    #expect(try await server.send("GET", secret + "photos/" + UUID().uuidString).status == 404)
    // A photo and its turned copy look alike, and are shown side by side.
    #expect(addresses(try await page("look-alikes"), "/photos/").count == 2)
    #expect(addresses(shown, "/photos/").contains { !$0.contains("?") })
  }
}
