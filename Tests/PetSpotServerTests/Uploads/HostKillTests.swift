import Foundation
import PhotoAttachments
import PhotoStoreSQLite
import PhotoIngestion
import Testing

/// The client is like the upload daemon of iOS, which shows an app only the headers of responses, and retries once.
@Suite("Uploads of phones to a host that is killed")
struct HostKillTests {
  private static let files = ["portrait-phone.heic", "10-bit.heic", "alpha.heic", "8-bit-422.heic"]

  /// The part of a response that the client sees.
  private struct Head: Equatable {
    let status: Int
    let location, digest, state: String?

    init(_ answer: Answered) {
      status = answer.status
      location = answer.header("Location")
      digest = answer.header("Repr-Digest")
      state = answer.header("Photo-State")
    }
  }

  @Test("No photo is lost, and none is stored twice")
  func kills() async throws {
    let folder = HostFolder()
    let count = ProcessInfo.processInfo.environment["PETSPOT_KILLS"].flatMap(Int.init) ?? 10
    var host = try UploadHost(folder.url)
    var digests: [String: String] = [:]
    // Kills happen at any moment of an upload, which takes about as long as the one before.
    var longest = Duration.milliseconds(500)
    for number in 0..<count {
      let photo = try ServedPetspot.photo(Self.files[number % Self.files.count])
      let upload: @Sendable (UploadHost) async throws -> Head = { host in
        Head(
          try await host.send(
            "PUT", "/pets/\(number)/photo",
            [
              "Authorization": "ola",
              "Content-Disposition": "attachment; filename=\"IMG_\(number).HEIC\"",
            ], body: photo))
      }
      let killed = host
      let attempt = Task { try? await upload(killed) }
      try await Task.sleep(for: longest * Double.random(in: 0...1))
      killed.kill()
      let first = await attempt.value
      host = try UploadHost(folder.url)
      let begin = ContinuousClock.now
      let second = try await upload(host)
      longest = .now - begin
      #expect(second.status == 201 && second.state == "confirmed", "\(number): \(second)")
      #expect(second.location == "/pets/\(number)/photo")
      if let first { #expect(first == second, "\(number)") }
      digests["ola/\(number)"] = second.digest
    }
    host.kill()

    let photos = try await PhotoAttachmentCache.open(
      CacheFolder(path: folder.url.path), decoding: .inProcess)
    _ = try await photos.sweep(now: Date() + 3600)
    #expect(Set(try await photos.keys().map(\.text)) == Set(digests.keys))
    #expect(try await photos.photos().count == count)
    var blobs: Set<String> = []
    for (key, digest) in digests {
      let photo = try #require(try await photos.photo(of: AttachmentKey(key)))
      let bytes = try await photos.bytes(of: photo.blob)
      #expect(digest == Data(bytes).digestField, "\(key)")
      blobs.insert(photo.blob.path)
    }
    let stored = try FileManager.default.subpathsOfDirectory(
      atPath: folder.url.path + "/blobs"
    ).filter { $0.contains(".") }
    #expect(stored.count == blobs.count, "\(stored)")
  }
}
