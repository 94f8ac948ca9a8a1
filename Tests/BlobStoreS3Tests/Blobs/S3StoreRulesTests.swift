import Foundation
import GRDB
import HTTPClient
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import StoreConformance
import Synchronization
import TestStores
import Testing

@testable import BlobStoreS3
@testable import PhotoStoreSQLite

/// Tests of SQLite together with a real S3 server.
@Suite struct S3StoreRulesTests {
  @Test("SQLite and S3 keep every rule of stores", arguments: StoreRule.all)
  func rules(_ rule: StoreRule) throws {
    let place = try S3Place()
    let findings = rule.findings(in: try place.stores().failing())
    #expect(findings == [])
  }
}

/// A cache folder whose pictures are below a prefix of their own.
final class S3Place: Sendable {
  let cache = TemporaryCache()
  let client: S3Client
  let transport = BreakableTransport()

  init() throws { client = try S3Server.shared.get().client(transport) }

  func open() throws -> PhotoAttachmentCache {
    let client = client
    return try .opened(
      cache.folder, busyTimeout: 60, pool: WorkerPool(threadCount: 2), tables: [.reports],
      objects: ObjectStore(place: client.address.place) { S3BlobStorage(client, ledger: $0) })
  }

  /// Returns all keys in the store.
  func keys() throws -> [String] {
    var (keys, next) = ([String](), String?.none)
    repeat {
      let page = try client.list(client.address.prefix, after: next)
      keys += page.entries.map(\.key)
      next = page.next
    } while next != nil
    return keys
  }

  func stores() throws -> StorePlace {
    let storage = try #require(open().blobs as? S3BlobStorage)
    let ledger = try DatabaseQueue(path: cache.folder.path + "/database/objects.sqlite")
    let outside = try DatabaseQueue(
      path: cache.folder.catalog,
      configuration: {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(60)
        return configuration
      }())
    let (client, transport) = (client, transport)
    return StorePlace(
      open: { [self] in
        let opened = try open()
        return Stores(catalog: opened.catalog, storage: opened.blobs)
      },
      staged: { [self] in
        let nonces = try keys().compactMap { storage.object(key: $0, sizeBytes: 0)?.nonce }
        return nonces.count - (try storage.ledger.known(nonces)).count
      },
      loseRecord: { id in
        try outside.write {
          try $0.execute(sql: "DELETE FROM photo WHERE id = ?", arguments: [id])
        }
      },
      damage: { place, bytes in
        let object = try #require(try storage.ledger.object(of: place))
        try client.put(storage.key(object), bytes, type: "image/png")
      },
      breakdowns: [
        Breakdown("the store cannot be reached", calls: ["put", "stage"]) { _ in
          transport.isBroken.withLock { $0 = true }
        } end: {
          transport.isBroken.withLock { $0 = false }
        },
        Breakdown("the ledger cannot be written", calls: ["name", "delete", "quarantine"]) { _ in
          try ledger.write { db in
            for event in ["INSERT", "UPDATE"] {
              try db.execute(
                sql: """
                  CREATE TRIGGER hinder\(event) AFTER \(event) ON object
                  BEGIN SELECT RAISE(ABORT, 'hindered'); END
                  """)
            }
          }
        } end: {
          try ledger.write {
            try $0.execute(sql: "DROP TRIGGER hinderINSERT; DROP TRIGGER hinderUPDATE")
          }
        },
      ])
  }
  private typealias Breakdown = StorePlace.Breakdown
}

/// A transport over the network that tests can cut.
final class BreakableTransport: HTTPTransport {
  let isBroken = Mutex(false)
  /// The requests to answer with status 500: those whose `METHOD URL` contains one of these texts.
  let sick = Mutex<[String]>([])
  private let network = CurlTransport()

  func send(_ request: HTTPRequest) throws(HTTPTransportError) -> HTTPResponse {
    if isBroken.withLock({ $0 }) { throw .permanent("cut") }
    if sick.withLock({ $0.contains { "\(request.method) \(request.url)".contains($0) } }) {
      let error = "<Error><Code>InternalError</Code></Error>"
      return HTTPResponse(
        status: 500, body: request.method == "HEAD" ? [] : Array(error.utf8))
    }
    return try network.send(request)
  }
}
