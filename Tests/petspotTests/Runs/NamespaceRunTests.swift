import Foundation
import Glibc
import PhotoAttachments
import Testing

@testable import petspot
import PhotoIngestion
@testable import PhotoStoreSQLite

/// Two containers on one volume can't see each other's processes.
@Suite struct NamespaceRunTests {
  /// `true` if this machine allows creating a namespace of processes.
  static let isPossible =
    (try? Program().run(script: "unshare -pf --mount-proc true").exitCode) == 0

  @Test(.enabled(if: isPossible, "no process namespaces here: unshare -pf is not permitted"))
  func aSweepTakesNothingFromTheLivingAndAllFromTheDead() async throws {
    let program = try Program()
    let cache = try await PhotoAttachmentCache.open(CacheFolder(path: program.cache.path))
    let incoming = program.cache.appending(path: "incoming")
    let gate = DispatchSemaphore(value: 0)
    let attempt = Task {
      try await cache.save(draft: "default") {
        gate.wait()
        return try PhotoPipeline(decoding: .inProcess).prepare(
          .file(path: Program.image("gps-exif.jpg")))
      }
    }
    while try await cache.status(draft: "default") != .loading {
      try await Task.sleep(for: .milliseconds(5))
    }
    let elsewhere = "unshare -pf --mount-proc $petspot"
    let lock = try #require(
      try FileManager.default.contentsOfDirectory(
        atPath: program.cache.appending(path: "database").path
      ).first { $0.hasSuffix(".lock") })
    let owner = lock.dropFirst("owner-".count).dropLast(".lock".count)
    let staged = incoming.appending(path: owner + "-1")
    try Data("half a pic".utf8).write(to: staged)
    let swept = try program.run(script: "\(elsewhere) sweep --json")
    #expect(swept.exitCode == 0 && swept.out.contains("\"removedBlobs\":0"), "\(swept)")
    #expect(FileManager.default.fileExists(atPath: staged.path))
    let seen = try program.run(script: "\(elsewhere) status --json")
    #expect(seen.out == "{\"status\":\"loading\"}\n")
    gate.signal()
    let saved = try await attempt.value
    #expect(try await cache.load(draft: "default") == saved.photo)
  }
}
