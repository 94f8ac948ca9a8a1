import Foundation
import HTTPClient
import ImageContainers
import GRDB
import PhotoAttachments
import PhotoIngestion
import Synchronization
import TestPictures
import TestStores
import Testing

@testable import BlobStoreS3
@testable import PhotoStoreSQLite

/// Rules that apply only to object storage. `S3StoreRulesTests` has those of all storages.
@Suite struct S3BlobStorageTests {
  private let place: S3Place
  private let storage: S3BlobStorage
  private let picture = EncodedPicture.png(1)
  private let spot: BlobPath

  init() throws {
    place = try S3Place()
    storage = try #require(place.open().blobs as? S3BlobStorage)
    spot = try picture.place(.blob)
  }

  private func change(_ sql: String, _ arguments: StatementArguments = []) throws {
    try DatabaseQueue(path: place.cache.folder.path + "/database/objects.sqlite")
      .write { try $0.execute(sql: sql, arguments: arguments) }
  }

  private func key() throws -> String {
    storage.key(try #require(try storage.ledger.object(of: spot)))
  }

  @Test("A key is never used twice, so a late request changes nothing")
  func newKeys() throws {
    _ = try storage.put(picture, kind: .blob)
    let first = try key()
    #expect(first.hasSuffix("/" + spot.name))
    _ = try storage.put(picture, kind: .blob)
    #expect(try key() == first, "equal bytes are not stored again")
    #expect(try storage.remove(spot) == picture.bytes.count)
    #expect(try place.keys() == [])
    _ = try storage.put(picture, kind: .blob)
    #expect(try key() != first)
    try place.client.delete(first)
    try place.client.put(first, picture.bytes, type: "image/png")
    #expect(storage.isIntact(spot))
    #expect(try storage.readPicture(spot) == picture.bytes)
  }

  @Test("Unnamed objects of a dead writer are leftovers, but those of an unknown one are not")
  func rubbish() throws {
    let (gone, stranger) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
    try change(
      "INSERT INTO object_writer (id, place, worker) VALUES (?, ?, ?)",
      [gone, place.client.address.place, String(repeating: "c", count: 32) + "-0"])
    for writer in [gone, stranger] {
      let object = StoredObject(
        place: spot, nonce: writer + "-1", sizeBytes: picture.bytes.count)
      try place.client.put(storage.key(object), picture.bytes, type: "image/png")
    }
    try place.client.put(place.client.address.prefix + "blobs/else", [1], type: "text/plain")
    let staged = try storage.stage(picture, kind: .blob)
    let told = try storage.removeUnfinished(dryRun: true) { _ in true }
    #expect(told == (1, picture.bytes.count))
    #expect(try place.keys().count == 4)
    #expect(try storage.removeUnfinished(dryRun: false) { _ in true } == told)
    #expect(try place.keys().count == 3)
    #expect(try place.keys().contains { $0.contains(stranger) })
    try storage.name([staged])
    #expect(storage.isIntact(spot))
  }

  @Test("A writer that was retired by mistake can't name its objects, and stores them again")
  func fence() throws {
    let staged = try storage.stage(picture, kind: .blob)
    try change("UPDATE object_writer SET is_retired = 1")
    #expect(throws: StoreError.self) { try storage.name([staged]) }
    #expect(try storage.facts(spot) == nil)
    storage.discard(staged)
    #expect(try place.keys() == [])
    try change("UPDATE object_writer SET is_retired = 1")
    _ = try storage.put(picture, kind: .blob)
    #expect(storage.isIntact(spot))
    #expect(try place.keys().count == 1)
  }

  @Test("An object that couldn't be deleted is deleted later")
  func outbox() throws {
    _ = try storage.put(picture, kind: .blob)
    place.transport.isBroken.withLock { $0 = true }
    #expect(try storage.remove(spot) == picture.bytes.count)
    place.transport.isBroken.withLock { $0 = false }
    #expect(try storage.ledger.object(of: spot) == nil)
    #expect(try place.keys().count == 1)
    let removed = try storage.removeUnfinished(dryRun: false) { _ in false }
    #expect(removed == (1, picture.bytes.count))
    #expect(try place.keys() == [])
    #expect(try storage.removeUnfinished(dryRun: false) { _ in false } == (0, 0))
  }

  @Test("A picture's address has bucket and key, even before the picture is named")
  func urls() throws {
    let staged = try storage.stage(picture, kind: .blob)
    let url = staged.url
    try storage.name([staged])
    #expect(storage.url(of: spot) == url)
    #expect(url.absoluteString == "s3://pets/" + (try key()))
  }

  @Test("A ledger belongs to one place")
  func otherPlace() throws {
    _ = try storage.put(picture, kind: .blob)
    let other = try S3Server.shared.get().client()
    #expect(
      throws: StoreError.database(.otherBlobs, detail: place.client.address.place)
    ) {
      _ = try PhotoAttachmentCache.opened(
        place.cache.folder,
        objects: ObjectStore(place: other.address.place) { S3BlobStorage(other, ledger: $0) })
    }
  }

  @Test("A ledger of any other schema is refused by name and left untouched")
  func otherLedger() throws {
    let other = try S3Place()
    try other.cache.folder.make()
    let path = other.cache.folder.path + "/database/objects.sqlite"
    let file = try DatabaseQueue(path: path)
    try file.write { db in
      try db.execute(sql: "CREATE TABLE object (nonce TEXT PRIMARY KEY); PRAGMA user_version = 1")
    }
    try file.close()
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(throws: StoreError.database(.otherVersion, detail: "")) { try other.open() }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test("A listing continues over pages, and keys come back unchanged")
  func pages() throws {
    let client = place.client
    let keys = ["a b", "a+b", "ł&", "x"].map { client.address.prefix + $0 }
    for key in keys { try client.put(key, [], type: "text/plain") }
    var operation = S3Client.Operation(method: "GET")
    var (found, next) = ([String](), String?.none)
    repeat {
      operation.query = [
        ("list-type", "2"), ("encoding-type", "url"), ("prefix", client.address.prefix),
        ("max-keys", "1"),
      ]
      if let next { operation.query.append(("continuation-token", next)) }
      let page = try S3Page(try client.performOrThrow(operation).body)
      found += page.entries.map(\.key)
      next = page.next
    } while next != nil && found.count < 10
    #expect(Set(found) == Set(keys))
    #expect(found.count == keys.count)
  }
}

/// Errors of a store that can't be used.
@Suite struct S3ProblemTests {
  @Test("A store that is down is reported as unreachable, with its address")
  func unreachable() throws {
    let client = S3Client(
      try S3Address("s3://pets?endpoint=http://127.0.0.1:9"),
      keys: S3Credentials(accessKey: "KEY", secret: "hush"), sleep: { _ in })
    #expect {
      try client.get("k")
    } throws: { error in
      guard case StoreError.unreachable(let service, let detail) = error else { return false }
      return service == "S3 bucket pets at http://127.0.0.1:9" && !detail.contains("hush")
    }
  }

  @Test("Wrong keys and a bucket of another account are reported as such")
  func refused() throws {
    let server = try S3Server.shared.get()
    let address = try S3Address(server.url())
    let stranger = S3Client(
      address, keys: S3Credentials(accessKey: server.keys.accessKey, secret: "hush"))
    #expect(
      throws: StoreError.serviceFailed(
        service: address.shown, detail: "HTTP 403, SignatureDoesNotMatch",
        problem: .accessDenied)
    ) {
      try stranger.put(address.prefix + "k", [1], type: "text/plain")
    }
    let other = try S3Address(server.url().replacing("s3://pets", with: "s3://others"))
    // In OpenStack Swift, each account has its own namespace of buckets, so another account's bucket isn't found.
    let refusal = S3Server.isOpenStack ? "HTTP 404, NoSuchBucket" : "HTTP 403, AccessDenied"
    let problem: StoreError.ServiceProblem =
      S3Server.isOpenStack ? .missingBucket : .accessDenied
    #expect(
      throws: StoreError.serviceFailed(service: other.shown, detail: refusal, problem: problem)
    ) {
      try S3Client(other, keys: server.keys).put("k", [1], type: "text/plain")
    }
  }

  @Test("The probe reports which promises the store keeps, and leaves nothing behind")
  func probe() throws {
    let client = try S3Server.shared.get().client()
    let probe = try S3Probe(client)
    #expect(
      probe.guarantees.map(\.name) == [
        "readAfterWrite", "readAfterDelete", "refusesWrongMD5", "refusesWrongSHA256",
        "listAfterWrite", "conditionalWrite", "conditionalDelete", "tagIsMD5",
      ])
    // SeaweedFS signs the digest but doesn't compare the bytes with it.
    let broken = probe.guarantees.filter { !$0.isKept }.map(\.name)
    #expect(broken == (S3Server.isOpenStack ? [] : ["refusesWrongSHA256"]))
    #expect(abs(probe.clockDifference ?? .max) < 60_000)
    #expect(try client.list(client.address.prefix, after: nil).entries == [])
  }
}
