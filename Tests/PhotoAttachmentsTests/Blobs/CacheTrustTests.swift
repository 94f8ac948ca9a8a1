import Foundation
import Glibc
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores

/// Caches that other users control are refused, and nothing in them is changed.
@Suite struct CacheTrustTests {
  let cache = TemporaryCache()

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test("The catalog is private to its owner, even if it was readable before")
  func catalogMode() async throws {
    _ = try cache.open()
    #expect(mode(cache.folder.catalog) == 0o600)
    chmod(cache.folder.catalog, 0o644)
    chmod(cache.folder.path + "/blobs", 0o755)
    let again = try cache.open()
    #expect(mode(cache.folder.catalog) == 0o600)
    #expect(mode(cache.folder.path + "/blobs") == 0o700)
    #expect(cache.folder.distrust == nil)
    #expect(try await again.photos().isEmpty)
  }

  @Test("A catalog that is a link or not a file is neither followed nor written")
  func catalogLink() throws {
    try cache.folder.make()
    let victim = cache.folder.path + "/blobs/victim"
    #expect(symlink(victim, cache.folder.catalog) == 0)
    let error = StoreError.unsafeCache(
      path: cache.folder.catalog, reason: .notAFile(kind: "symlink"))
    #expect(throws: error) { try cache.open() }
    #expect(cache.folder.distrust == error)
    #expect(access(victim, F_OK) != 0)
    unlink(cache.folder.catalog)
    #expect(mkfifo(cache.folder.catalog, 0o600) == 0)
    #expect(throws: StoreError.self) { try cache.open() }
  }

  @Test("Other users lose write access to a cache")
  func looseCache() throws {
    try cache.folder.make()
    chmod(cache.folder.path, 0o777)
    chmod(cache.folder.path + "/incoming", 0o777)
    #expect(cache.folder.distrust == nil)
    #expect(mode(cache.folder.path) == 0o777)
    _ = try cache.open()
    #expect(mode(cache.folder.path) == 0o755)
    #expect(mode(cache.folder.path + "/incoming") == 0o700)
  }

  @Test("A folder that other users can write to, with foreign files in it, is refused")
  func sharedFolder() throws {
    try FileManager.default.createDirectory(
      atPath: cache.folder.path, withIntermediateDirectories: true)
    try cache.write("theirs", to: "notes.txt")
    chmod(cache.folder.path, 0o1777)
    let error = StoreError.unsafeCache(path: cache.folder.path, reason: .writableByOthers)
    #expect(throws: error) { try cache.open() }
    #expect(cache.folder.distrust == error)
    #expect(mode(cache.folder.path) == 0o1777)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: cache.folder.path) == ["notes.txt"])
  }

  @Test(
    "Files of another user are refused", .enabled(if: geteuid() == 0),
    arguments: ["", "/blobs", "/database", "/database/catalog.sqlite"])
  func othersCache(_ part: String) throws {
    _ = try cache.open()
    let path = cache.folder.path + part
    #expect(chown(path, 65_534, 65_534) == 0)
    let error = StoreError.unsafeCache(path: path, reason: .owner(user: 65_534))
    #expect(throws: error) { try cache.open() }
    #expect(cache.folder.distrust == error)
  }
}
