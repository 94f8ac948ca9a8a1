import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import PhotoAttachments
import PhotoStoreSQLite
import ReportFlow
import ServiceLifecycle
import TestPostgres
import Testing

@testable import PetSpotServer
import struct PetSpotServer.ServerConfiguration

@Suite("A server runs in another program", .timeLimit(.minutes(2)))
struct MountedServerTests {
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private func server(_ configuration: ServerConfiguration) async throws -> PetSpotServer {
    let photos = try await PhotoAttachmentCache.temporary(tables: [.reports])
    return server(configuration, photos, DraftStore(photos, logger: logger))
  }

  private func server(
    _ configuration: ServerConfiguration, _ photos: PhotoAttachmentCache, _ drafts: DraftStore
  ) -> PetSpotServer {
    PetSpotServer(
      photos: photos, drafts: drafts,
      announcements: AnnouncementStore(photos, logger: logger),
      species: TaxonomySource(
        named: nil, copy: URL(filePath: photos.folder.path + "/species.json"), logger: logger),
      configuration: configuration, logger: logger)
  }

  @Test("A host server handles its own paths, and passes the rest on")
  func mounted() async throws {
    let photos = try await PhotoAttachmentCache.temporary(tables: [.reports])
    let drafts = DraftStore(photos, logger: logger)
    let old = Date(timeIntervalSinceNow: -8 * 24 * 3600)
    for (id, date) in [("old", old), ("new", Date())] {
      _ = try await drafts.save(ReportDraft(id: id, submissionKey: UUID()), over: nil, now: date)
    }
    var configuration = ServerConfiguration()
    configuration.baseURL = URL(string: "http://pets.example.org")
    let server = server(configuration, photos, drafts)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let host = try HTTPServerBuilder.http1().service(
      host: "127.0.0.1", port: 0, logger: logger,
      listening: { port.yield($0.localAddress?.port ?? 0) },
      respond: { request, channel in
        guard request.uri.path != "/own" else { return Response(status: .accepted) }
        return try await server.respond(to: request, on: channel)
      })
    let group = ServiceGroup(
      configuration: .init(services: [host, server.upkeep], logger: logger))
    async let running: Void = group.run()
    let number = await ports.first { _ in true } ?? 0
    #expect(try await Self.answer(to: "/own", port: number).hasPrefix("HTTP/1.1 202"))
    let home = try await Self.answer(to: "/", port: number)
    #expect(home.hasPrefix("HTTP/1.1 200") && home.contains("home.hero.lostPetButton"))
    let health = try await Self.answer(to: "/api/health", port: number)
    #expect(health.contains("\"status\":\"ok\""))
    let list = try await Self.answer(to: "/announcements", port: number)
    #expect(list.hasPrefix("HTTP/1.1 200"))
    while try await drafts.ids() != ["new"] { try await Task.sleep(for: .milliseconds(20)) }
    await group.triggerGracefulShutdown()
    try await running
  }

  @Test("In a service group, the server ends with the group and leaves signals to it")
  func service() async throws {
    let port = TestServer.freePort()
    var configuration = ServerConfiguration()
    configuration.port = port
    let server = try await server(configuration)
    let group = ServiceGroup(configuration: .init(services: [server], logger: logger))
    async let running: Void = group.run()
    var home = ""
    while home.isEmpty {
      try await Task.sleep(for: .milliseconds(20))
      home =
        (try? await Self.answer(to: "/api/health", host: "localhost", port: port)) ?? ""
    }
    #expect(home.hasPrefix("HTTP/1.1 200"))
    await group.triggerGracefulShutdown()
    try await running
    #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
  }

  private static func answer(
    to path: String, host: String = "pets.example.org", port: Int
  ) async throws -> String {
    try await blocking {
      let client = try RawClient(port: port)
      try client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
      return String(decoding: client.receiveAll().bytes, as: UTF8.self)
    }
  }
}
