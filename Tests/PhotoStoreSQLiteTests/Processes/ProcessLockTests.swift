import Foundation
import Glibc
import Testing

@testable import PhotoAttachments
@testable import PhotoStoreSQLite
import TestStores

@Suite struct ProcessLockTests {
  let cache = TemporaryCache()
  let nobody = String(repeating: "0a", count: 16)

  init() throws { try cache.folder.make() }

  private func lockFiles() throws -> [String] {
    try cache.folder.entries(of: "database").filter { $0.hasSuffix(".lock") }
  }

  private func lockFile(of name: String) -> String {
    cache.folder.path + "/database/owner-\(name).lock"
  }

  @Test func namesOfUnfinishedFilesTellTheirOwner() throws {
    let blobs = FolderStorage(FolderWorker(folder: cache.folder))
    let owner = try blobs.worker.current()
    #expect(try ProcessOwner(fileName: blobs.newIncomingName()) == owner)
    #expect(owner.isAlive(in: cache.folder) && owner.isThisProcess(in: cache.folder))
    let older = ProcessIdentity.current
    #expect(ProcessOwner(fileName: older.signature + "-ff") == .process(older))
    for name in [
      "", "upload", "1-2-3", "x-2-ab-1", "1-y-ab-1", "1-2--1", "1-2-ab-1-1", nobody,
      nobody.uppercased() + "-1", nobody.dropLast() + "-1", nobody + "-1-1",
    ] {
      #expect(ProcessOwner(fileName: name) == nil, "\(name)")
    }
  }

  @Test func aProcessHasOneLockInAFolderUntilNobodyNeedsItAnyMore() throws {
    do {
      let (one, other) = (
        FolderStorage(FolderWorker(folder: cache.folder)),
        FolderStorage(FolderWorker(folder: cache.folder))
      )
      #expect(try one.worker.current() == other.worker.current())
      #expect(try lockFiles().count == 1)
      try ProcessLock.removeDead(in: cache.folder)
      #expect(try lockFiles().count == 1)
    }
    #expect(try lockFiles().isEmpty)
  }

  @Test func aLockThatIsTakenAwayWithTheFolderIsTakenAnew() throws {
    let blobs = FolderStorage(FolderWorker(folder: cache.folder))
    let first = try blobs.worker.current()
    try FileManager.default.removeItem(atPath: cache.folder.path)
    try cache.folder.make()
    #expect(!first.isAlive(in: cache.folder))
    let second = try blobs.worker.current()
    #expect(second != first && second.isAlive(in: cache.folder))
  }

  @Test func whoHoldsNoLockIsGoneAndItsFileIsTakenAway() throws {
    #expect(!ProcessOwner.lock(nobody).isAlive(in: cache.folder))
    try cache.write("", to: "database/owner-\(nobody).lock")
    try cache.write("", to: "database/owner-mine.lock")
    #expect(!ProcessOwner.lock(nobody).isAlive(in: cache.folder))
    let file = open(lockFile(of: nobody), O_RDWR | O_CLOEXEC)
    #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
    #expect(ProcessOwner.lock(nobody).isAlive(in: cache.folder))
    try ProcessLock.removeDead(in: cache.folder)
    #expect(try lockFiles().count == 2)
    close(file)
    try ProcessLock.removeDead(in: cache.folder)
    #expect(try lockFiles() == ["owner-mine.lock"])
  }

  @Test func whoCannotBeAskedLives() throws {
    #expect(mkdir(lockFile(of: nobody), 0o700) == 0)
    #expect(ProcessOwner.lock(nobody).isAlive(in: cache.folder))
  }

  @Test func aLockIsFoundDeadWhileItIsMadeAndMadeAgain() async throws {
    let folder = cache.folder
    let sweeper = Task {
      while !Task.isCancelled { try? ProcessLock.removeDead(in: folder) }
    }
    for _ in 0..<3000 {
      let blobs = FolderStorage(FolderWorker(folder: folder))
      #expect(try blobs.worker.current().isAlive(in: folder))
    }
    sweeper.cancel()
    await sweeper.value
    #expect(try lockFiles().isEmpty)
  }
}
