import Foundation
import PhotoAttachments
import Synchronization
import Testing

@testable import PhotoStoreSQLite

@Suite struct AttachmentWatchersTests {
  let watchers = AttachmentWatchers()

  @Test("Who hears no more from the beginning is not kept")
  func overAtOnce() {
    watchers.add(UUID(), draft: "a", current: nil) { _ in false }
    #expect(watchers.count(draft: "a") == 0)
  }

  @Test("Who hears is told of each change, until it hears no more")
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

  @Test("Who is taken out is told nothing more")
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
}
