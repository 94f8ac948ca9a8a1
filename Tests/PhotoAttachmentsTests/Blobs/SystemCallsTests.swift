import Foundation
import Glibc
import TestStores
import Testing

@testable import PhotoAttachments

@Suite struct SystemCallsTests {
  @Test(
    "Free space that exceeds the range of integers counts as the largest integer",
    arguments: [1 << 51, 1 << 52, .max])
  func hugeDisks(blocks: UInt64) {
    #expect(SystemCalls.bytes(blocks, of: 4096) == .max)
    #expect(SystemCalls.bytes(1 << 30, of: 4096) == 1 << 42)
  }

  @Test("A read that ends before the file does is an error, not a shorter picture")
  func earlyEnds() throws {
    let path = FileManager.default.temporaryDirectory.path + "/early-\(UUID().uuidString)"
    try Data([1, 2, 3]).write(to: URL(filePath: path))
    defer { unlink(path) }
    func file(_ size: Int) -> PictureFile {
      PictureFile(open(path, O_RDONLY), sizeBytes: size, path: path)
    }
    #expect(try PictureBody.file(file(3)).all() == [1, 2, 3])
    #expect(throws: StoreError.storage(operation: "read", path: path, errno: EIO)) {
      try PictureBody.file(file(10)).all()
    }
  }

  @Test(
    "Only names that this program makes in incoming/ have an owner",
    arguments: [
      "2024-05-06-IMG.jpg", "2024-05-06-12", "1-1-0-x", "1-1-0-", "notes.txt", "-",
      String(repeating: "a", count: 32) + "-copy.jpg", String(repeating: "A", count: 32) + "-1",
    ])
  func foreignNames(name: String) {
    #expect(ProcessOwner(fileName: name) == nil)
    let own = ProcessIdentity.current.signature + "-1f"
    #expect(ProcessOwner(fileName: own) == .process(.current))
  }

  @Test func aNamelessFileIsGoneWithItsDescriptor() throws {
    let cache = TemporaryCache()
    try cache.folder.make()
    let file = try SystemCalls.openNameless(in: cache.folder.incoming)
    defer { close(file) }
    try SystemCalls.write([1, 2, 3], to: file, path: "nameless")
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder.incoming) == [])
    #expect(throws: StoreError.storage(operation: "open", path: "/none", errno: ENOENT)) {
      try SystemCalls.openNameless(in: "/none")
    }
  }

  /// The file system of message queues has no unnamed files.
  @Test(.enabled(if: SmallDisk.isPossible))
  func aNewFileLosesItsNameWhereThereAreNoNamelessOnes() throws {
    let disk = try #require(SmallDisk(type: "mqueue"))
    let nameless: Int32 = 0o20_000_000 | O_DIRECTORY | O_RDWR
    try #require(Glibc.open(disk.path, nameless, 0o600) < 0 && errno == EOPNOTSUPP)
    let file = try SystemCalls.openNameless(in: disk.path)
    defer { close(file) }
    var status = stat()
    #expect(fstat(file, &status) == 0 && status.st_nlink == 0)
    // Queues of other programs are in the folder, too.
    let names = try FileManager.default.contentsOfDirectory(atPath: disk.path)
    #expect(!names.contains { $0.hasPrefix("upload-") }, "\(names)")
  }
}
