import Foundation
@testable import PhotoAttachments
import Synchronization
import TestStores
import Testing

@testable import PhotoStoreSQLite

@Suite struct AttachmentWatchersTests {
  let watchers = AttachmentWatchers()

  @Test("A watcher that ends at its first record isn't kept")
  func overAtOnce() {
    watchers.add(UUID(), draft: "a", current: nil) { _ in false }
    #expect(watchers.count(draft: "a") == 0)
  }

  @Test("A watcher receives each change until it ends")
  func untilTheEnd() {
    let heard = Mutex(0)
    watchers.add(UUID(), draft: "a", current: nil) { _ in
      heard.withLock {
        $0 += 1
        return $0 < 3
      }
    }
    #expect(watchers.count(draft: "a") == 1)
    watchers.publish(nil, draft: "b")
    for _ in 0..<5 { watchers.publish(nil, draft: "a") }
    #expect(heard.withLock { $0 } == 3)
    #expect(watchers.count(draft: "a") == 0)
  }

  @Test("A watcher that was removed receives nothing more")
  func takenOut() {
    let id = UUID()
    let heard = Mutex(0)
    watchers.add(id, draft: "a", current: nil) { _ in
      heard.withLock { $0 += 1 }
      return true
    }
    watchers.remove(id, draft: "a")
    watchers.publish(nil, draft: "a")
    #expect(heard.withLock { $0 } == 1)
  }

  @Test("A refresh notifies only watchers whose last record differs, and each of them once")
  func looks() {
    let heard = Mutex<[String]>([])
    func watch(_ name: String, _ current: AttachmentRecord?) {
      watchers.add(UUID(), draft: "a", current: current) { _ in
        heard.withLock { $0.append(name) }
        return true
      }
    }
    let loading = AttachmentRecord(draft: "a", machine: .init(.loading(1, previous: nil)))
    watch("early", nil)
    watch("late", loading)
    for _ in 0..<2 { watchers.refresh(loading, draft: "a") }
    #expect(heard.withLock { $0 } == ["early", "late", "early"])
    watchers.publish(nil, draft: "a")
    for record in [nil, AttachmentRecord(draft: "a", machine: .init())] {
      watchers.refresh(record, draft: "a")
    }
    #expect(heard.withLock { $0.count } == 5)
    #expect(watchers.drafts == ["a"])
  }

  @Test("Polling for other processes' changes ends with the last watcher, and begins again")
  func looksEnd() throws {
    let cache = TemporaryCache()
    let catalog = try cache.open().sqlite
    for _ in 0..<2 {
      let stop = catalog.watch(draft: "a") { _ in true }
      try wait { catalog.polling.withLock { $0.version != nil } }
      stop()
      try wait { !catalog.polling.withLock { $0.isUnderWay } }
    }
    _ = catalog.watch(draft: "a") { _ in true }
    try catalog.close()
  }

  private func wait(_ holds: () -> Bool) throws {
    let end = ContinuousClock.now + .seconds(10)
    while !holds() {
      try #require(ContinuousClock.now < end)
      usleep(10_000)
    }
  }
}
