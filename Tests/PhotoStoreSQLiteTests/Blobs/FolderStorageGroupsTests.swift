import Foundation
import Glibc
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores
import TestPictures

@Suite struct FolderStorageGroupsTests {
  let cache = TemporaryCache()
  let store: FolderStorage

  init() throws {
    try cache.folder.make()
    store = FolderStorage(FolderWorker(folder: cache.folder))
  }

  @Test(arguments: [0, 1, 40])
  func aGroupGetsItsNamesTogether(count: Int) throws {
    let staged = try (0..<count).map { try store.stage(.png($0), kind: .blob) }
    #expect(cache.files.filter { $0.hasPrefix("incoming/") }.count == count)
    try store.sync(staged)
    try store.name(staged)
    #expect(cache.files == staged.map(\.picture.path).sorted())
    for (number, picture) in staged.enumerated() {
      #expect(try store.readPicture(picture.place) == EncodedPicture.png(number).bytes)
    }
  }

  @Test func onePictureThatIsGoneFailsTheGroup() throws {
    let staged = try (0..<20).map { try store.stage(.png($0), kind: .blob) }
    store.discard(staged[13])
    try store.sync(staged)
    let error = #expect(throws: StoreError.self) { try store.name(staged) }
    #expect(error?.systemErrno == ENOENT)
  }
}
