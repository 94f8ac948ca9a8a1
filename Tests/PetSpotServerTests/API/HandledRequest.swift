import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import PhotoIngestion
import ReportFlow
import TestStores

@testable import PetSpotServer
@testable import struct PetSpotServer.Stores
@testable import PhotoAttachments
@testable import PhotoStoreSQLite

extension Stores {
  /// Opens new stores for handlers of requests, without a server.
  init(in cache: TemporaryCache) async throws {
    let photos = try await PhotoAttachmentCache.open(
      cache.folder, tables: [.reports], decoding: .inProcess)
    let logger = RequestContext.logger
    self.init(
      photos: photos, drafts: DraftStore(photos, logger: logger),
      announcements: AnnouncementStore(photos),
      species: TaxonomySource(copy: URL(filePath: "/nowhere"), logger: logger))
  }
}

extension RequestContext {
  fileprivate static let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

  /// Creates a request without a body, for the handler itself.
  init(_ method: HTTPRequest.Method = .get, _ path: String = "/") {
    self.init(
      request: Request(
        head: .init(method: method, scheme: "http", authority: "localhost", path: path),
        body: RequestBody(buffer: ByteBuffer())),
      parameters: [:], id: "", client: .ipv4([192, 0, 2, 1]), base: "", incomingBody: nil,
      isSecure: false, channel: NIOAsyncTestingChannel(), takesInterim: true, logger: Self.logger)
  }
}
