import Announcements
import Foundation
import Glibc
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores

@Suite struct CacheFolderTests {
  let cache = TemporaryCache()

  @Test func theDefaultFollowsXDG() {
    #expect(
      CacheFolder.standard(environment: ["HOME": "/home/a", "XDG_CACHE_HOME": "/var/c"]).path
        == "/var/c/PetSpot/ReportMissingPet")
    #expect(
      CacheFolder.standard(environment: ["HOME": "/home/a"]).path
        == "/home/a/.cache/PetSpot/ReportMissingPet")
    #expect(
      CacheFolder.standard(environment: ["HOME": "/home/a", "XDG_CACHE_HOME": "relative"]).path
        == "/home/a/.cache/PetSpot/ReportMissingPet")
  }

  @Test func whatLiesInAFolderForCachesIsDisposable() {
    let environment = ["HOME": "/home/a", "XDG_CACHE_HOME": "/var/c"]
    for path in ["/var/c", "/var/c/x/y", "/home/a/.cache/x", "/home/a/b/../.cache"] {
      #expect(CacheFolder(path: path).isDisposable(environment: environment), "\(path)")
    }
    for path in ["/var/cc", "/home/a", "/home/a/.cached", "/home/a/.local/share/x", "/"] {
      #expect(!CacheFolder(path: path).isDisposable(environment: environment), "\(path)")
    }
    #expect(CacheFolder.standard(environment: environment).isDisposable(environment: environment))
  }

  @Test("The pictures of a folder belong to the first catalog that claims them")
  func claims() throws {
    try cache.folder.make()
    for _ in 0..<2 { try cache.folder.claimPictures(for: "one") }
    #expect(throws: StoreError.database(.otherRecords, detail: cache.folder.path)) {
      try cache.folder.claimPictures(for: "another")
    }
    // A power cut may leave an empty file.
    truncate(cache.folder.path + "/database/owner", 0)
    try cache.folder.claimPictures(for: "another")
  }

  @Test func foldersAreForTheirOwnerAlone() throws {
    try cache.folder.make()
    try cache.folder.make()
    for name in ["", "/incoming", "/blobs", "/previews", "/database"] {
      var status = stat()
      #expect(stat(cache.folder.path + name, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700)
    }
  }

  @Test func aFileInTheWayIsNamed() throws {
    try Data("x".utf8).write(to: URL(fileURLWithPath: cache.folder.path))
    #expect(throws: StoreError.cacheUnavailable(path: cache.folder.path, errno: ENOTDIR)) {
      try cache.folder.make()
    }
    let below = CacheFolder(path: cache.folder.path + "/deeper")
    let error = #expect(throws: StoreError.self) { try below.make() }
    #expect(error?.systemErrno == ENOTDIR)
  }

  @Test(
    "A link or file inside the cache is not used", arguments: ["blobs", "incoming", "database"])
  func linkInside(_ name: String) throws {
    try cache.folder.make()
    let path = cache.folder.path + "/" + name
    #expect(rmdir(path) == 0)
    #expect(symlink("/tmp", path) == 0)
    #expect(throws: StoreError.cacheUnavailable(path: path, errno: ENOTDIR)) {
      try cache.folder.make()
    }
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func aReadOnlyDiskIsTold() throws {
    let disk = try #require(SmallDisk(options: "size=1m"))
    let folder = CacheFolder(path: disk.path + "/cache")
    disk.remount("ro")
    #expect(throws: StoreError.cacheUnavailable(path: folder.path, errno: EROFS)) {
      try folder.make()
    }
    disk.remount("rw")
    try folder.make()
    disk.remount("ro")
    #expect(throws: StoreError.cacheUnavailable(path: folder.path, errno: EROFS)) {
      try folder.make()
    }
  }

  @Test(.enabled(if: geteuid() != 0))
  func missingPermissionIsTold() throws {
    try FileManager.default.createDirectory(
      atPath: cache.folder.path, withIntermediateDirectories: true)
    chmod(cache.folder.path, 0o500)
    #expect(throws: StoreError.cacheUnavailable(path: cache.folder.path, errno: EACCES)) {
      try cache.folder.make()
    }
  }

  @Test func ownersAreToldApart() throws {
    let other = try OtherProcess()
    #expect(ProcessIdentity.current.isAlive)
    #expect(other.identity.isAlive)
    var reused = other.identity
    reused.startTicks += 1
    #expect(!reused.isAlive)
    var rebooted = other.identity
    rebooted.bootID = "0123"
    #expect(!rebooted.isAlive)
    other.end()
    #expect(!other.identity.isAlive)
  }
}
