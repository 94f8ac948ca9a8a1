import Foundation
import Glibc
import PhotoAttachments
import TestPostgres
import TestStores
import Testing

@testable import BlobStoreS3

/// Runs `petspot import s3://…` and `--distribute` as separate processes.
@Suite struct S3ImportTests {
  private let cache = TemporaryCache()
  private let server: S3Server
  /// The address of the photos to import.
  private let source: String
  private let blobs: String

  init() throws {
    server = try S3Server.shared.get()
    (source, blobs) = (server.url(), server.url())
    let client = try server.client(url: source)
    let photo = try Array(Data(contentsOf: URL(fileURLWithPath: "TestImages/gps-exif.jpg")))
    for (name, bytes) in [
      ("a é+.jpg", photo), ("sub folder/copy.jpg", photo),
      ("sub folder/notes.txt", Array("no".utf8)),
      (".hidden", photo), ("broken.jpg", Array(photo.prefix(200))), ("folder/", []),
      ("film.mov", [UInt8](repeating: 7, count: 5 << 20)),
    ] {
      try client.put(client.address.prefix + name, bytes, type: "application/octet-stream")
    }
  }

  private func start(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> (process: Process, output: String) {
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: "petspot")
    process.arguments = arguments + ["--json", "--cache", cache.folder.path, "--blobs", blobs]
    process.environment = ProcessInfo.processInfo.environment
      .merging(server.environment) { $1 }.merging(environment) { $1 }
    let output = cache.folder.path + "-\(UUID().uuidString).out"
    try Data().write(to: URL(fileURLWithPath: output))
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
    return (process, output)
  }

  /// Waits for a command, and returns the object on each line of its output.
  private func lines(_ started: (process: Process, output: String)) throws -> [[String: Any]] {
    started.process.waitUntilExit()
    defer { unlink(started.output) }
    return try String(contentsOfFile: started.output, encoding: .utf8).split(separator: "\n")
      .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
  }

  /// Checks the outcome of each of the test's objects, by its name.
  private func check(_ lines: [[String: Any]], first: Bool) throws {
    let prefix = try S3Address(source).place
    var found: [String: String] = [:]
    for line in lines.dropLast() {
      let path = try #require(line["path"] as? String)
      #expect(path.hasPrefix(prefix), "\(path)")
      found[String(path.dropFirst(prefix.count))] = line["outcome"] as? String
    }
    #expect(
      found == [
        "a é+.jpg": first ? "imported" : "unchanged",
        "sub folder/copy.jpg": first ? "duplicate" : "unchanged",
        "sub folder/notes.txt": "skipped", ".hidden": "skipped", "film.mov": "skipped",
        "broken.jpg": "failed",
      ])
    #expect(lines.last?["files"] as? Int == 6)
    #expect(lines.last?[first ? "imported" : "unchanged"] as? Int == (first ? 1 : 2))
  }

  @Test(
    "Objects below a prefix are imported like files of a folder, except those of the cache itself")
  func alone() throws {
    try check(try lines(start(["import", source])), first: true)
    let again = try lines(start(["import", source]))
    try check(again, first: false)
    #expect(again.last?["bytesRead"] as? Int == 0)
    let client = try server.client(url: source)
    let other = try Array(Data(contentsOf: URL(fileURLWithPath: "TestImages/one-pixel.gif")))
    try client.put(client.address.prefix + "a é+.jpg", other, type: "image/gif")
    try client.delete(client.address.prefix + "broken.jpg")
    let changed = try lines(start(["import", source]))
    #expect(changed.last?["imported"] as? Int == 1 && changed.last?["files"] as? Int == 5)
    let own = try lines(start(["import", blobs]))
    #expect(own.last?["skipped"] as? Int == 4 && own.last?["files"] as? Int == 4)
    #expect(own.first?["code"] as? String == "inside-cache")
    // The cache's address with another name of the host, and a prefix inside the cache.
    let alias = blobs.replacing("127.0.0.1", with: "localhost")
    for inside in [alias, alias.replacing("?", with: "/previews?")] {
      let told = try lines(start(["import", inside]))
      #expect(told.last?["imported"] as? Int == 0 && told.last?["duplicates"] as? Int == 0)
      #expect(told.last?["skipped"] as? Int == (inside == alias ? 4 : 2), "\(told)")
      #expect(told.first?["code"] as? String == "inside-cache")
    }
    #expect(try start(["import", source, "--move-source", "moved"]).process.exitCode() == 64)
    #expect(try start(["import", source, "TestImages"]).process.exitCode() == 64)
  }

  @Test(
    "A worker imports files and objects for another process, and ends on request",
    .enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
  func distributed() throws {
    let made = try TestDatabase()
    defer { withExtendedLifetime(made) {} }
    let database = ["PETSPOT_DATABASE": made.url]
    let worker = try start(["worker", "--jobs", "1"], database)
    try check(try lines(start(["import", source, "--distribute"], database)), first: true)
    try check(try lines(start(["import", source, "--distribute"], database)), first: false)
    try check(try lines(start(["import", source], database)), first: false)
    let folder = cache.folder.path + "-photos"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: "TestImages/one-pixel.gif", toPath: folder + "/one.gif")
    let files = try lines(start(["import", folder, "--distribute"], database))
    #expect(files.map { $0["event"] as? String } == ["file", "summary"])
    #expect(files.first?["path"] as? String == folder + "/one.gif")
    #expect(files.last?["imported"] as? Int == 1)
    kill(worker.process.processIdentifier, SIGTERM)
    let told = try lines(worker)
    #expect(worker.process.terminationStatus == 0)
    #expect(told.map { $0["event"] as? String } == ["part", "part", "part", "end"])
    #expect(told.last?["files"] as? Int == 13)
    let runs = try lines(start(["runs"], database))
    #expect(runs.map { $0["state"] as? String } == ["done", "done", "done"])
    #expect(runs.map { $0["files"] as? Int } == [1, 6, 6])
    #expect(try lines(start(["runs", "1"], database)).first?["imported"] as? Int == 1)
    #expect(try start(["runs", "99"], database).process.exitCode() == 66)
    #expect(try start(["import", folder, "--distribute"]).process.exitCode() == 64)
    let once = try lines(start(["worker", "--once"], database))
    #expect(once.map { $0["event"] as? String } == ["end"])
  }

  @Test(
    "Originals of a shared import are deleted after they are counted, in folders and stores",
    .enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
  func takesOriginals() throws {
    let made = try TestDatabase()
    defer { withExtendedLifetime(made) {} }
    let database = ["PETSPOT_DATABASE": made.url, "PETSPOT_PART_FILES": "2"]
    let worker = try start(["worker", "--jobs", "1"], database)
    defer { kill(worker.process.processIdentifier, SIGKILL) }
    let delete = ["--distribute", "--delete-source", "--yes", "--json"]
    let objects = try lines(start(["import", source] + delete, database))
    #expect(objects.compactMap { $0["sourceDeleted"] as? Bool } == [true, true])
    #expect(objects.last?["deletedSources"] as? Int == 2)
    let client = try server.client(url: source)
    let left = try client.list(client.address.prefix, after: nil).entries.map(\.key)
    #expect(left.count == 5 && !left.contains { $0.hasSuffix("copy.jpg") }, "\(left)")

    let folder = cache.folder.path + "-photos"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in ["gps-exif.jpg", "one-pixel.gif", "depth-map.heic", "cut-200.jpg"] {
      try FileManager.default.copyItem(atPath: "TestImages/" + name, toPath: "\(folder)/\(name)")
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/link.gif", withDestinationPath: "one-pixel.gif")
    func names() throws -> Set<String> {
      Set(try FileManager.default.contentsOfDirectory(atPath: folder))
    }
    let files = try lines(start(["import", folder] + delete, database))
    #expect(files.last?["deletedSources"] as? Int == 2, "\(files)")
    #expect(files.last?["keptSources"] as? Int == 1)
    let kept = files.compactMap { ($0["sourceKept"] as? [String: Any])?["code"] as? String }
    #expect(kept == ["losses"])
    #expect(try names() == ["depth-map.heic", "cut-200.jpg", "link.gif"])
    let moved = cache.folder.path + "-moved"
    defer { try? FileManager.default.removeItem(atPath: moved) }
    let rest = ["--distribute", "--move-source", moved, "--delete-lossy-source", "--yes", "--json"]
    let again = try lines(start(["import", folder] + rest, database))
    #expect(again.last?["unchanged"] as? Int == 1 && again.last?["movedSources"] as? Int == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: moved) == ["depth-map.heic"])
    #expect(try lines(start(["verify", "--all"], database)).last?["missing"] as? Int == 0)
  }
}

extension Process {
  /// Waits for the process and returns its exit code.
  fileprivate func exitCode() -> Int32 {
    waitUntilExit()
    return terminationStatus
  }
}
