import Foundation
import Glibc
import PhotoAttachments
import TestPostgres
import TestStores
import Testing

@testable import BlobStoreS3

/// Runs `petspot --blobs` as a separate process.
@Suite struct S3CommandTests {
  private let cache = TemporaryCache()

  /// Runs petspot. Returns its exit code, the last object of its output, and its errors.
  private func run(
    _ arguments: [String], in cache: TemporaryCache? = nil, blobs: String,
    environment: [String: String]
  ) throws -> (exit: Int32, answer: [String: Any], errors: String) {
    let (process, cache) = (Process(), cache ?? self.cache)
    process.executableURL = Bundle.main.bundleURL.appending(path: "petspot")
    process.arguments = arguments + ["--json", "--cache", cache.folder.path, "--blobs", blobs]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (cache.folder.path + ".out", cache.folder.path + ".err")
    defer { for path in [output, errors] { unlink(path) } }
    for path in [output, errors] { try Data().write(to: URL(fileURLWithPath: path)) }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    process.waitUntilExit()
    let line =
      try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").last ?? "{}"
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return (
      process.terminationStatus, object as? [String: Any] ?? [:],
      try String(contentsOfFile: errors, encoding: .utf8)
    )
  }

  @Test("A photo whose pictures lie in S3 is attached, shown, exported and removed")
  func attached() throws {
    let server = try S3Server.shared.get()
    let blobs = server.url()
    func run(_ arguments: String...) throws -> (exit: Int32, answer: [String: Any], errors: String)
    {
      try self.run(arguments, blobs: blobs, environment: server.environment)
    }
    let attached = try run("attach", "TestImages/gps-exif.jpg")
    #expect(attached.exit == 0, "\(attached.errors)")
    let photo = try #require(attached.answer["photo"] as? [String: Any])
    let prefix = try S3Address(blobs).place
    #expect((photo["cachedURL"] as? String)?.hasPrefix(prefix + "blobs/") == true)
    #expect(cache.files == [])
    let status = try run("status")
    #expect(status.answer["status"] as? String == "confirmed")
    #expect(
      (status.answer["photo"] as? [String: Any])?["cachedURL"] as? String == photo["cachedURL"]
        as? String)
    #expect(try run("continue").exit == 0)
    let out = cache.folder.path + "-out"
    defer { try? FileManager.default.removeItem(atPath: out) }
    #expect(try run("export", photo["id"] as? String ?? "", "--to", out).exit == 0)
    let copy = try Data(contentsOf: URL(fileURLWithPath: out + "/gps-exif.jpg"))
    let blob = try #require(photo["blob"] as? [String: Any])
    #expect(copy.count == blob["sizeBytes"] as? Int)
    #expect(try run("verify", "--all").exit == 0)
    #expect(try run("remove").answer["status"] as? String == "empty")
    let client = try server.client(url: blobs)
    #expect(try client.list(client.address.prefix, after: nil).entries == [])
  }

  @Test(
    "With records in PostgreSQL, machines share only the two addresses",
    .enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
  func besideDatabase() throws {
    let (server, database) = (try S3Server.shared.get(), try TestDatabase())
    let blobs = server.url()
    let environment = server.environment.merging(["PETSPOT_DATABASE": database.url]) { $1 }
    let other = S3CommandTests()
    let attached = try run(
      ["attach", "TestImages/gps-exif.jpg"], blobs: blobs, environment: environment)
    #expect(attached.exit == 0, "\(attached.errors)")
    #expect(cache.files == [])
    for command in [["list"], ["status"], ["continue"], ["verify", "--all"], ["sweep"]] {
      let run = try other.run(command, blobs: blobs, environment: environment)
      #expect(run.exit == 0, "\(command): \(run.errors) \(run.answer)")
    }
    let status = try other.run(["status"], blobs: blobs, environment: environment)
    #expect(status.answer["status"] as? String == "confirmed")
    let client = try server.client(url: blobs)
    #expect(try client.list(client.address.prefix, after: nil).entries.count == 2)
    let elsewhere = try run(["status"], blobs: server.url(), environment: environment)
    let place = try S3Address(blobs).place
    #expect(elsewhere.exit != 0 && elsewhere.errors.contains(place), "\(elsewhere)")
    #expect(try other.run(["remove"], blobs: blobs, environment: environment).exit == 0)
    #expect(try run(["sweep"], blobs: blobs, environment: environment).exit == 0)
    #expect(try client.list(client.address.prefix, after: nil).entries == [])
    #expect(try database.sql("SELECT count(*) FROM object") == "0")
  }

  @Test("A store that can't be used is reported by exit code and address, without its keys")
  func failures() throws {
    let server = try S3Server.shared.get()
    let secret = ["AWS_ACCESS_KEY_ID": server.keys.accessKey, "AWS_SECRET_ACCESS_KEY": "hush-hush"]
    for (blobs, environment, exit, code, words) in [
      ("s3://pets?endpoint=http://127.0.0.1:9", secret, 69, "unreachable", "http://127.0.0.1:9"),
      (server.url(), secret, 74, "storage", "SignatureDoesNotMatch"),
      ("s3://Pets", secret, 64, "usage", "lower-case"),
      (server.url(), ["AWS_ACCESS_KEY_ID": ""], 64, "usage", "AWS_ACCESS_KEY_ID"),
    ] as [(String, [String: String], Int32, String, String)] {
      let answer = try run(
        ["attach", "TestImages/gps-exif.jpg"], in: TemporaryCache(), blobs: blobs,
        environment: environment)
      #expect(answer.exit == exit)
      let error = answer.answer["error"] as? [String: Any] ?? [:]
      #expect(error["code"] as? String == code)
      #expect((error["message"] as? String)?.contains(words) == true, "\(error)")
      #expect(!"\(answer)".contains("hush-hush"))
    }
  }

  @Test("Doctor probes the store")
  func doctor() throws {
    let server = try S3Server.shared.get()
    let answer = try run(["doctor"], blobs: server.url(), environment: server.environment).answer
    let blobs = try #require(answer["blobs"] as? [String: Any])
    let promises = try #require(blobs["promises"] as? [String: Bool])
    #expect(promises["readAfterWrite"] == true)
    #expect(promises["refusesWrongSHA256"] == S3Server.isOpenStack)
    #expect((blobs["address"] as? String)?.hasPrefix("S3 bucket pets at http://127.0.0.1:") == true)
  }
}
