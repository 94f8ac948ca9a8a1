import Foundation
import Glibc
import TestStores
import Testing

@testable import PhotoAttachments

@Suite struct SystemCallsTests {
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

  /// The file system of message queues has no files without a name.
  @Test(.enabled(if: SmallDisk.isPossible))
  func aNewFileLosesItsNameWhereThereAreNoNamelessOnes() throws {
    let disk = try #require(SmallDisk(type: "mqueue"))
    let nameless: Int32 = 0o20_000_000 | O_DIRECTORY | O_RDWR
    try #require(Glibc.open(disk.path, nameless, 0o600) < 0 && errno == EOPNOTSUPP)
    let file = try SystemCalls.openNameless(in: disk.path)
    defer { close(file) }
    var status = stat()
    #expect(fstat(file, &status) == 0 && status.st_nlink == 0)
    // Queues of other programs are there as well.
    let names = try FileManager.default.contentsOfDirectory(atPath: disk.path)
    #expect(!names.contains { $0.hasPrefix("upload-") }, "\(names)")
  }
}
