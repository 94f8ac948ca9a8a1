import Foundation
import Glibc
import PhotoAttachments
import TestPostgres
import TestStores
import Testing

@testable import BlobStoreS3

@Suite("Backups")
struct BackupTests {
  private let stores = MovedStores()
  private let folder = TemporaryCache().folder.path + "-backup"

  private var files: [String] {
    FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
  }

  @Test("A restored backup says the same, is whole, and a second run copies nothing")
  func roundTrip() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let announcement = try stores.fill()
    let before = try stores.told()
    let first = try stores.run(["backup", folder])
    #expect(first.exit == 0 && first.last["complete"] as? Bool == true, "\(first.text)")
    #expect(first.last["photos"] as? Int == 6 && first.last["pictures"] as? Int ?? 0 > 6)
    var status = stat()
    #expect(stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
    let second = try stores.run(["backup", folder])
    #expect(second.exit == 0 && second.last["pictures"] as? Int == 0, "\(second.text)")

    let restored = MovedStores()
    let answer = try restored.run(["restore", folder])
    #expect(answer.exit == 0 && answer.last["moved"] as? Int == 6, "\(answer.text)")
    #expect(try restored.told() == before)
    #expect(try restored.run(["verify", "--all"]).exit == 0)
    let close = ["announcements", "close", announcement.id, "--password", announcement.password]
    #expect(try restored.run(close).exit == 0)
    #expect(try restored.run(["restore", folder]).exit == 73)
    #expect(try stores.run(["restore", folder]).exit == 73)
  }

  @Test("A folder that can't be made is named, and not taken for the cache")
  func noFolder() throws {
    let file = folder + ".txt"
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    defer { try? FileManager.default.removeItem(atPath: file) }
    _ = try stores.fill()
    let answer = try stores.run(["backup", file + "/backups"])
    #expect(answer.exit == 74 && answer.text.contains(file), "\(answer.text)")
    #expect(!answer.text.contains("cache"), "\(answer.text)")
  }

  @Test("What was erased or forgotten leaves the whole folder, and no snapshot brings it back")
  func erased() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let announcement = try stores.fill()
    let old = try stores.run(["backup", folder]).last["snapshot"] as? String
    let photo =
      try stores.run(["list", "--limit", "1000"]).text.split(separator: "\n")
      .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .first(where: { $0["fileName"] as? String == "baseline-420.jpg" })
    let erase = ["announcements", "erase", announcement.id, "--password", announcement.password]
    #expect(try stores.run(erase).exit == 0)
    #expect(try stores.run(["forget", try #require(photo?["id"] as? String)]).exit == 0)
    let after = try stores.told()
    let again = try stores.run(["backup", folder])
    #expect(again.exit == 0 && again.last["cleanedSnapshots"] as? Int == 1, "\(again.text)")
    #expect(again.last["removedPictures"] as? Int ?? 0 > 0)
    for file in files {
      guard let bytes = FileManager.default.contents(atPath: folder + "/" + file) else { continue }
      for secret in [announcement.id, "baseline-420.jpg", "600 700"] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(file)")
      }
    }
    let blob = try #require((photo?["blob"] as? [String: Any])?["sha256"] as? String)
    #expect(!files.contains { $0.hasSuffix(String(blob.dropFirst(2)) + ".jpg") })

    let restored = MovedStores()
    let snapshot = ["restore", folder, "--snapshot", try #require(old)]
    #expect(try restored.run(snapshot).exit == 0)
    #expect(try restored.told() == after)
    #expect(try restored.run(["verify", "--all"]).exit == 0)
  }

  @Test("A flipped byte anywhere is found, and an old snapshot goes after its time")
  func damaged() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    _ = try stores.fill()
    #expect(try stores.run(["backup", folder]).exit == 0)
    for file in files.filter({
      $0.hasSuffix("json") || $0.hasSuffix("jsonl") || $0.hasSuffix("png")
    }) {
      let path = folder + "/" + file
      let whole = try #require(FileManager.default.contents(atPath: path))
      var bytes = whole
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: URL(fileURLWithPath: path))
      let answer = try MovedStores().run(["restore", folder])
      #expect(answer.exit == 65 || answer.exit == 66, "\(file): \(answer.text)")
      try whole.write(to: URL(fileURLWithPath: path))
    }
    let kept = try stores.run(["backup", folder, "--keep", "0"])
    #expect(kept.exit == 0 && kept.last["expiredSnapshots"] as? Int == 1, "\(kept.text)")
    #expect(try MovedStores().run(["restore", folder]).exit == 0)
  }

  @Test("A folder with other things in it is left alone")
  func foreign() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/letter"))
    _ = try stores.run(["status"])
    #expect(try stores.run(["backup", folder]).exit == 66)
    #expect(try stores.run(["restore", folder]).exit == 66)
    #expect(files == ["letter"])
  }

  @Test(
    "Two servers are backed up with a list of objects, and restored over it",
    .enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
  func servers() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = try S3Server.shared.get()
    let blobs = server.url()
    let databases = [try TestDatabase(), try TestDatabase()]
    defer { withExtendedLifetime(databases) {} }
    let large = MovedStores(databases[0], server, blobs: blobs)
    _ = try large.fill()
    let before = try large.told()
    let backup = try large.run(["backup", folder])
    #expect(backup.exit == 0 && backup.last["pictures"] as? Int == 0, "\(backup.text)")
    #expect(files.contains { $0.hasSuffix("objects.tsv") })
    #expect(try MovedStores().run(["restore", folder]).exit == 64)
    let restored = MovedStores(databases[1], server, blobs: blobs)
    let answer = try restored.run(["restore", folder])
    #expect(answer.exit == 0 && answer.last["moved"] as? Int == 6, "\(answer.text)")
    #expect(try restored.told() == before)
    #expect(try restored.run(["verify", "--all"]).exit == 0)
  }
}
