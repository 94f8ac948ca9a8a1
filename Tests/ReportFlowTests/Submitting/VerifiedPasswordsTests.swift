import Foundation
import ReportFlow
import TestReports
import Testing

@Suite struct VerifiedPasswordsTests {
  let time = TestTime()

  @Test("A password is remembered of its hash only, and however a person types it")
  func known() {
    let verified = VerifiedPasswords(now: time.now)
    #expect(!verified.knows("K7QM-2XWD-9RTA", of: "hash"))
    verified.remember("K7QM-2XWD-9RTA", of: "hash")
    #expect(verified.knows("K7QM-2XWD-9RTA", of: "hash"))
    #expect(verified.knows("k7qm 2xwd 9rta", of: "hash"))
    #expect(!verified.knows("K7QM-2XWD-9RTB", of: "hash"))
    #expect(!verified.knows("K7QM-2XWD-9RTA", of: "other hash"))
    #expect(!verified.knows("", of: "hashK7QM2XWD9RTA"))
    // Asking remembers nothing.
    #expect(!verified.knows("K7QM-2XWD-9RTB", of: "hash"))
  }

  @Test("A password is remembered for 15 minutes, used or not, and not longer by a clock put back")
  func forgotten() {
    let verified = VerifiedPasswords(now: time.now)
    verified.remember("p", of: "hash")
    time.advance(15 * 60 - 1)
    #expect(verified.knows("p", of: "hash"))
    time.advance(1)
    #expect(!verified.knows("p", of: "hash"))
    verified.remember("p", of: "hash")
    time.advance(-60)
    #expect(!verified.knows("p", of: "hash"))
  }

  @Test("Of too many the one goes that was not used for longest")
  func bounded() {
    let verified = VerifiedPasswords(limit: 3, now: time.now)
    for password in ["a", "b", "c"] { verified.remember(password, of: "hash") }
    #expect(verified.knows("a", of: "hash"))
    verified.remember("d", of: "hash")
    #expect(["a", "c", "d"].allSatisfy { verified.knows($0, of: "hash") })
    #expect(!verified.knows("b", of: "hash"))
    // What is over makes room first.
    time.advance(10 * 60)
    verified.remember("e", of: "hash")
    time.advance(6 * 60)
    verified.remember("f", of: "hash")
    verified.remember("g", of: "hash")
    #expect(["e", "f", "g"].allSatisfy { verified.knows($0, of: "hash") })
  }
}
