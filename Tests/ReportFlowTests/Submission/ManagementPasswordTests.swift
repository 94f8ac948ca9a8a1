import Foundation
import ReportFlow
import Testing

@Suite struct ManagementPasswordTests {
  @Test func passwordsAreRandomReadableAndStoredAsASaltedHash() {
    let passwords = (0..<500).map { _ in ManagementPassword.random() }
    #expect(Set(passwords).count == 500)
    for password in passwords {
      #expect(password.wholeMatch(of: /([2-9A-HJKMNP-Z]{4}-){3}[2-9A-HJKMNP-Z]{4}/) != nil)
    }
    let first = ManagementPassword.hash(passwords[0], of: "a")
    #expect(first != ManagementPassword.hash(passwords[0], of: "a"))
    #expect(first.hasPrefix("sha256$") && !first.contains(passwords[0]))
    #expect(ManagementPassword.verify(passwords[0], of: "a", against: first))
    #expect(
      ManagementPassword.verify(
        passwords[0].lowercased().replacing("-", with: " "), of: "a", against: first))
    #expect(!ManagementPassword.verify(passwords[0], of: "b", against: first))
    #expect(!ManagementPassword.verify(passwords[1], of: "a", against: first))
    for damaged in ["", "sha256$x$y", "scrypt\(first.dropFirst(6))", passwords[0]] {
      #expect(!ManagementPassword.verify(passwords[0], of: "a", against: damaged))
    }
  }

  @Test(
    "The password of a key is derived from the secret: bytes below 248 of HMAC-SHA256, as letters")
  func derived() {
    let secret = Data(0..<32)
    let key = "00112233-4455-4677-8899-AABBCCDDEEFF"
    #expect(ManagementPassword.derived(from: secret, for: key) == "FPYF-ATK4-CE8D-FTV2")
    #expect(ManagementPassword.derived(from: Data(1..<33), for: key) != "FPYF-ATK4-CE8D-FTV2")
  }

  @Test("All letters are equally likely in the passwords of keys")
  func evenly() {
    var counts: [Character: Int] = [:]
    for number in 0..<2000 {
      let password = ManagementPassword.derived(
        from: Data(repeating: 7, count: 32), for: "\(number)")
      for letter in password where letter != "-" { counts[letter, default: 0] += 1 }
    }
    #expect(counts.count == 31)
    // If all 256 values of a byte were used, the first eight letters would be 28.1 %.
    let first = "23456789".reduce(0) { $0 + (counts[$1] ?? 0) }
    #expect(abs(Double(first) / 32000 - 8.0 / 31) < 0.01)
  }
}
