import Synchronization
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores

@Suite struct WhenCommittedTests {
  let cache = TemporaryCache()

  private final class Heard: Sendable {
    private let list = Mutex<[Int]>([])
    var all: [Int] { list.withLock { $0 } }
    func add(_ number: Int) { list.withLock { $0.append(number) } }
  }

  @Test func onlyWhatIsOnRecordIsTold() throws {
    let database = try cache.open().sqlite
    let heard = Heard()
    for (number, dryRun) in [(1, false), (2, true), (3, false)] {
      try database.write(dryRun: dryRun) { t in
        t.afterCommit { heard.add(number) }
        t.afterCommit { heard.add(number * 10) }
        if number == 1 { #expect(heard.all.isEmpty) }
      }
    }
    #expect(throws: StoreError.missingPhoto) {
      try database.write { t in
        t.afterCommit { heard.add(4) }
        throw StoreError.missingPhoto
      }
    }
    try database.write { _ in }
    #expect(heard.all == [1, 10, 3, 30])
  }
}
