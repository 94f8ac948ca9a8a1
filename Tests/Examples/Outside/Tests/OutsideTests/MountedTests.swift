import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import PetSpotServer
import PhotoAttachments
import PhotoStoreSQLite
import ReportFlow
import Testing

@testable import Outside

@Test func petSpotServesTheRestOfAnApplication() async throws {
  let logger = Logger(label: "mounted") { _ in SwiftLogNoOpLogHandler() }
  let cache = try await PhotoAttachmentCache.temporary(tables: [.reports])
  let server = PetSpotServer(
    photos: cache, drafts: DraftStore(cache, logger: logger),
    announcements: AnnouncementStore(cache, logger: logger),
    species: TaxonomySource(
      named: nil, copy: URL(filePath: cache.folder.path + "/species.json"),
      logger: logger),
    configuration: ServerConfiguration(), logger: logger)
  let router = Router(context: ChannelContext.self)
  router.add(middleware: PetSpotPages(server: server))
  router.get("/hello") { _, _ in "hello" }
  router.get("/pets/:id") { _, _ -> String in throw HTTPError(.notFound) }
  let application = Application(router: router, services: [server.upkeep])
  try await application.test(.live) { client in
    func check(
      _ path: String, _ status: HTTPResponse.Status, contains text: String = ""
    ) async throws {
      try await client.execute(uri: path, method: .get) { response in
        #expect(response.status == status, "\(path)")
        let body = String(buffer: response.body)
        #expect(text.isEmpty ? body.isEmpty : body.contains(text), "\(path)")
      }
    }
    try await check("/hello", .ok, contains: "hello")
    try await check("/", .ok, contains: "<html")
    try await check("/announcements", .ok, contains: "<html")
    try await check("/api/v1/announcements", .ok, contains: "[")
    try await check("/nowhere", .notFound, contains: "<html")
    // The application's own answer, which has no body.
    try await check("/pets/17", .notFound)
  }
}
