import Foundation
import Glibc
import HTTPClient
import PhotoAttachments
import TestStores
import Testing

@testable import BlobStoreS3

/// Tests with a real store which objects `petspot import s3://… --delete-source` deletes.
@Suite struct S3SourceDeletionTests {
  private let cache = TemporaryCache()
  private let server: S3Server
  private let source: String

  init() throws {
    server = try S3Server.shared.get()
    source = server.url()
  }

  private func sample(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: "TestImages/" + name)))
  }

  private func put(_ client: S3Client, _ name: String, _ bytes: [UInt8]) throws {
    try client.put(client.address.prefix + name, bytes, type: "application/octet-stream")
  }

  /// Runs petspot. Returns its exit code and the object on each line of its output.
  private func run(_ arguments: String...) throws -> (exit: Int32, lines: [[String: Any]]) {
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: "petspot")
    process.arguments = arguments + ["--json", "--cache", cache.folder.path]
    process.environment = ProcessInfo.processInfo.environment.merging(server.environment) { $1 }
    let output = cache.folder.path + ".out"
    defer { unlink(output) }
    try Data().write(to: URL(fileURLWithPath: output))
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
    process.waitUntilExit()
    let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
      .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    return (process.terminationStatus, lines)
  }

  /// Returns the names of the objects that are left below a prefix.
  private func names(_ client: S3Client) throws -> [String] {
    try client.list(client.address.prefix, after: nil).entries
      .map { String($0.key.dropFirst(client.address.prefix.count)) }
  }

  @Test("Only objects with proved photos are deleted")
  func deleted() throws {
    let client = try server.client(url: source)
    try put(client, "a.jpg", try sample("gps-exif.jpg"))
    try put(client, "b.jpg", try sample("gps-exif.jpg"))
    try put(client, "c.txt", Array("no photo".utf8))
    try put(client, "d.heic", try sample("depth-map.heic"))
    try put(client, "e.jpg", try sample("cut-200.jpg"))
    #expect(try run("import", source, "--move-source", "/tmp/x").exit == 64)
    let would = try run("import", source, "--delete-source", "--dry-run").lines
    #expect(
      would.map { $0["sourceWouldBeDeleted"] as? Bool } == [true, true, nil, nil, nil, nil])
    #expect(try names(client).count == 5)
    let told = try run("import", source, "--delete-source", "--yes")
    #expect(told.exit == 65)
    #expect(told.lines.map { $0["sourceDeleted"] as? Bool } == [true, true, nil, false, nil, nil])
    #expect((told.lines[3]["sourceKept"] as? [String: Any])?["code"] as? String == "losses")
    #expect(told.lines.last?["deletedSources"] as? Int == 2)
    #expect(told.lines.last?["keptSources"] as? Int == 1)
    #expect(try names(client) == ["c.txt", "d.heic", "e.jpg"])
    // These objects are known by now, so they aren't read again to be imported.
    let lossy = try run("import", source, "--delete-source", "--yes", "--delete-lossy-source").lines
    #expect(lossy.map { $0["outcome"] as? String } == ["skipped", "unchanged", "failed", nil])
    #expect(try names(client) == ["c.txt", "e.jpg"])
    #expect(try run("verify", "--all").exit == 0)
  }

  @Test("A stored picture isn't deleted as a source, whatever cache it belongs to")
  func stored() throws {
    let client = try server.client(url: source)
    let photo = try sample("baseline-420.jpg")
    let name = "blobs/ab/nonce/\(String(repeating: "0", count: 62)).jpg"
    try put(client, name, photo)
    let told = try run("import", source, "--delete-source", "--yes", "--delete-lossy-source").lines
    #expect((told.first?["sourceKept"] as? [String: Any])?["code"] as? String == "stored")
    #expect(try names(client) == [name])
  }

  /// A store that obeys conditions of DELETE, as AWS does, in the way that RFC 9110, section 13.1.1, requires.
  private struct Heeding: HTTPTransport {
    /// A hook that runs right before the store evaluates the condition.
    let meddle: @Sendable () -> Void
    let etag: @Sendable () -> String?

    func send(_ request: HTTPRequest) throws(HTTPTransportError) -> HTTPResponse {
      guard request.method == "DELETE" else { return try CurlTransport().send(request) }
      meddle()
      let asked = request.headers.first { $0.0 == "if-match" }?.1
      guard let asked, asked == "\"\(etag() ?? "")\"" else {
        return HTTPResponse(status: 412, headers: [:], body: [])
      }
      return try CurlTransport().send(request)
    }
  }

  @Test(
    "Without versions, a replaced object stays: first a check finds it, then If-Match does"
  )
  func exchanged() throws {
    let client = try server.client(url: source)
    let key = client.address.prefix + "a.jpg"
    try put(client, "a.jpg", [1])
    let first = try #require(try client.head(key))
    #expect(first.version == nil)
    try put(client, "a.jpg", [2])
    #expect(try !client.delete(key, only: first))
    let second = try #require(try client.head(key))
    let late = try server.client(
      Heeding {
        try? client.put(key, [3], type: "image/gif")
      } etag: {
        (try? client.head(key))?.etag
      }, url: source)
    #expect(try !late.delete(key, only: second))
    #expect(try client.get(key) == [3])
    #expect(try client.delete(key, only: try #require(try client.head(key))))
    #expect(try client.get(key) == nil)
    #expect(try !client.delete(key, only: second))
  }

  @Test("In a bucket with versions, the version that was read is deleted, and a later one stays")
  func versions() throws {
    let bucket = try S3Address(source).bucket
    let source = source.replacing("s3://\(bucket)/", with: "s3://\(bucket)-versions/")
    let client = try server.client(url: source)
    var versioning = S3Client.Operation(method: "PUT", query: [("versioning", "")])
    versioning.body = Array(
      "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>".utf8)
    try client.performOrThrow(versioning)
    let key = client.address.prefix + "a.jpg"
    try put(client, "a.jpg", [1])
    let first = try #require(try client.fetch(key, nil)).facts
    let version = try #require(first.version)
    #expect(try client.head(key)?.version == version)
    try put(client, "a.jpg", [2])
    #expect(try client.delete(key, only: first))
    #expect(try client.get(key) == [2])
    // A delete marker would leave the version in the bucket.
    try put(client, "photo.jpg", try sample("gps-exif.jpg"))
    let told = try run("import", source, "--delete-source", "--yes").lines
    #expect(told.map { $0["sourceDeleted"] as? Bool } == [nil, true, nil])
    let listing = try client.performOrThrow(
      S3Client.Operation(method: "GET", query: [("versions", "")]))
    let text = String(decoding: listing.body, as: UTF8.self)
    #expect(!text.contains("photo.jpg") && text.contains("a.jpg"), "\(text)")
  }
}
