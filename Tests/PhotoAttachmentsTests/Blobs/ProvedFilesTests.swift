import Foundation
import Glibc
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion

@Suite("Files with proved contents")
struct ProvedFilesTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

  private func body() throws -> PictureBody {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    let size = Int(lseek(descriptor, 0, SEEK_END))
    return .file(PictureFile(descriptor, sizeBytes: size, path: path))
  }

  /// Returns the number of bytes that this thread has read so far.
  private func bytesRead() throws -> Int {
    let lines = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
    let line = lines.split(separator: "\n").first { $0.hasPrefix("rchar:") }
    return try #require(line.flatMap { Int($0.dropFirst(7)) })
  }

  @Test("A large file is hashed once, until it changes")
  func once() throws {
    defer { unlink(path) }
    let bytes = [UInt8](repeating: 7, count: 8 << 20)
    try Data(bytes).write(to: URL(filePath: path))
    let (proved, digest) = (ProvedFiles(), sha256(of: bytes))
    func cost() throws -> Int {
      let before = try bytesRead()
      #expect(try proved.isSound(body(), sha256: digest))
      return try bytesRead() - before
    }
    // A file that was written just now may still change without a trace.
    #expect(try cost() > bytes.count)
    #expect(try cost() > bytes.count)
    sleep(4)
    #expect(try cost() > bytes.count)
    #expect(try cost() < 1 << 20)
    #expect(try !proved.isSound(body(), sha256: String(digest.reversed())))
    // Changes one byte in the middle, and restores both times as far as a program can.
    var status = stat()
    #expect(stat(path, &status) == 0)
    let descriptor = open(path, O_WRONLY)
    #expect(pwrite(descriptor, [8], 1, 4 << 20) == 1)
    let times = [status.st_atim, status.st_mtim]
    #expect(futimens(descriptor, times) == 0)
    close(descriptor)
    #expect(try !proved.isSound(body(), sha256: digest))
  }
}
