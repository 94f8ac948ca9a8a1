import ReportFlow
import Testing

@Suite struct ManagementPasswordTests {
  @Test func passwordsAreRandomReadableAndStoredAsASlowHash() async throws {
    let passwords = (0..<500).map { _ in ManagementPassword.random() }
    #expect(Set(passwords).count == 500)
    for password in passwords {
      #expect(password.wholeMatch(of: /([2-9A-HJKMNP-Z]{4}-){2}[2-9A-HJKMNP-Z]{4}/) != nil)
    }
    let (first, second) = (
      try ManagementPassword.hash(passwords[0]), try ManagementPassword.hash(passwords[0])
    )
    #expect(first != second)
    #expect(first.hasPrefix("scrypt$15$") && !first.contains(passwords[0]))
    #expect(try ManagementPassword.verify(passwords[0], against: first))
    #expect(try !ManagementPassword.verify(passwords[1], against: first))
    for damaged in ["", "scrypt$15$x$y", "scrypt$99$\(first)", passwords[0]] {
      #expect(try !ManagementPassword.verify(passwords[0], against: damaged))
    }
  }
}
