import Glibc
import Testing

@testable import PhotoAttachments
@testable import PhotoStoreSQLite
import TestStores

@Suite struct ProcessIdentityTests {
  let current = ProcessIdentity.current

  @Test func weAreAliveAndALaterProcessWithOurNumberIsNot() {
    #expect(current.isAlive && current.startTicks > 0)
    var other = current
    other.startTicks += 1
    #expect(!other.isAlive)
    other = current
    other.bootID = "1" + current.bootID
    #expect(!other.isAlive)
  }

  /// Work is taken over only from a process that is certainly dead.
  @Test func whoCouldNotReadItsOwnFactsCountsAsAlive() throws {
    let unread = ProcessIdentity(pid: current.pid, startTicks: 0, bootID: "0")
    #expect(unread.isAlive)
    #expect(try #require(ProcessIdentity(fileName: unread.signature + "-ff")) == unread)
    let other = try OtherProcess()
    var identity = other.identity
    (identity.startTicks, identity.bootID) = (0, "0")
    #expect(identity.isAlive)
    other.end()
    #expect(!identity.isAlive)
  }
}
