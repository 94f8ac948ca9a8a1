import Foundation
import ImageContainers
import TestPictures
import Testing

@Suite("Sizes over HTTP")
struct SizesOverHTTPTests {
  private let server: ServedPetspot
  private let id: String
  private let owner: [String: String]
  private let shown: Answered

  init() async throws {
    server = try ServedPetspot()
    (id, owner) = try await server.announce()
    shown = try await server.upload(
      try ServedPetspot.photo("portrait-phone.heic"), to: id, owner)
  }

  private struct Size: Decodable, Equatable {
    let width, height: Int
    let url, type: String
  }

  private func sizes(_ answered: Answered? = nil) throws -> [Size] {
    struct Told: Decodable { let photoSizes: [Size]? }
    return try JSONDecoder().decode(Told.self, from: (answered ?? shown).body).photoSizes ?? []
  }

  /// The WebPs on the disk. The JPEG for the announcement's link is left out because it is made without a request.
  private var files: [String] { allFiles.filter { $0.hasSuffix(".webp") } }

  private var allFiles: [String] {
    let folder = server.cache.appending(path: "sizes").path
    return (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [])
      .filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".webp") }
  }

  @Test("An announcement lists its sizes before they are made, and their facts are right")
  func listed() async throws {
    let sizes = try sizes()
    #expect(try await self.sizes(server.send("GET", "/api/v1/announcements/\(id)")) == sizes)
    #expect(!sizes.isEmpty && files.isEmpty)
    #expect(Set(sizes.map(\.type)) == ["image/webp", "image/jpeg"])
    for size in sizes {
      let picture = try await server.send("GET", size.url)
      #expect(picture.status == 200 && picture.header("Content-Type") == size.type)
      #expect(picture.header("Cache-Control") == "public, max-age=300, must-revalidate")
      let facts = try ImageContainer.parse(
        [UInt8](picture.body), as: size.type == "image/webp" ? .webp : .jpeg)
      #expect((facts.storedWidth, facts.storedHeight) == (size.width, size.height))
      let tag = try #require(picture.header("ETag"))
      let again = try await server.send("GET", size.url, ["If-None-Match": tag])
      #expect(again.status == 304 && again.header("ETag") == tag && again.body.isEmpty)
      let head = try await server.send("HEAD", size.url)
      #expect(
        head.header("ETag") == tag && head.header("Content-Length") == "\(picture.body.count)")
    }
    #expect(files.count == Set(files).count && files.count <= sizes.count)
  }

  @Test("Any other size gets 404, may not be cached, and isn't made; HEAD doesn't make one either")
  func others() async throws {
    let size = try #require(try sizes().last)
    let photo = String(size.url.prefix { $0 != "?" }.split(separator: "/").last!.prefix(36))
    for name in [
      "-321.jpg", "-0640.jpg", "-640.png", "-640", "-1921.webp", "-960.webp", "-1920.jpg",
    ] {
      let answer = try await server.send("GET", "/images/\(photo)\(name)")
      #expect(answer.status == 404 && answer.header("Cache-Control") == "no-store")
    }
    let head = try await server.send("HEAD", size.url)
    #expect(head.status == 200 && head.header("Content-Type") == size.type)
    #expect(files.isEmpty)
  }

  @Test("If many clients request a size at once, each gets the same bytes")
  func atOnce() async throws {
    let size = try #require(try sizes().last { $0.type == "image/webp" })
    let bodies = try await withThrowingTaskGroup(of: Answered.self) { group in
      for _ in 0..<24 { group.addTask { try await server.send("GET", size.url) } }
      return try await group.reduce(into: [Answered]()) { $0.append($1) }
    }
    #expect(bodies.allSatisfy { $0.status == 200 })
    #expect(Set(bodies.map(\.body)).count == 1 && Set(bodies.map { $0.header("ETag") }).count == 1)
    #expect(files.count == 1)
  }

  @Test("A damaged or lost size is made again; its tag is answered without its file")
  func damaged() async throws {
    let size = try #require(try sizes().first)
    let picture = try await server.send("GET", size.url)
    let tag = try #require(picture.header("ETag"))
    let file = server.cache.appending(path: "sizes").appending(path: try #require(files.first))
    try FileManager.default.removeItem(at: file)
    try Data(picture.body.dropLast()).write(to: file)
    let mended = try await server.send("GET", size.url)
    #expect(mended.status == 200 && mended.body == picture.body)
    try FileManager.default.removeItem(at: file)
    #expect(try await server.send("GET", size.url, ["If-None-Match": tag]).status == 304)
    #expect(files.isEmpty)
    #expect(try await server.send("GET", size.url).body == picture.body)
    #expect(files.count == 1)
  }

  @Test(
    "When an announcement is erased, its sizes are gone for everybody and deleted from the disk")
  func gone() async throws {
    let sizes = try sizes()
    let picture = try await server.send("GET", sizes[0].url)
    #expect(picture.status == 200 && files.count == 1)
    let erased = try await server.send("DELETE", "/api/v1/announcements/\(id)?erase=true", owner)
    #expect(erased.status == 204)
    #expect(files.isEmpty)
    for size in sizes {
      let answer = try await server.send(
        "GET", size.url, ["If-None-Match": picture.header("ETag") ?? ""])
      #expect(answer.status == 404 && answer.header("Cache-Control") == "no-store")
    }
    #expect(files.isEmpty)
  }

  @Test("An existing size is shown only while its announcement is open")
  func closed() async throws {
    let size = try sizes()[0]
    #expect(try await server.send("GET", size.url).status == 200)
    _ = try await server.send("DELETE", "/api/v1/announcements/\(id)", owner)
    #expect(try await server.send("GET", "/api/v1/announcements/\(id)").status == 410)
    #expect(try await server.send("GET", size.url).status == 404)
    #expect(files.count == 1)
  }

  @Test("A new photo has new addresses, and the sizes of the old one are deleted")
  func replaced() async throws {
    let before = try sizes()
    _ = try await server.send("GET", before[0].url)
    let after = try sizes(
      try await server.upload(try ServedPetspot.photo("alpha.png"), to: id, owner))
    #expect(!after.isEmpty && Set(before.map(\.url)).isDisjoint(with: after.map(\.url)))
    #expect(try await server.send("GET", before[0].url).status == 404)
    #expect(files.isEmpty)
    #expect(try await server.send("GET", after[0].url).status == 200)
  }
}
