import Foundation
import SystemPackage
import Testing

@testable import PhotoIngestion

@Suite("Records of crashes")
struct CrashLedgerTests {
  private let ledger: CrashLedger
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  init() { ledger = CrashLedger(folder: FilePath(folder.path)) }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []
  }

  private func setAge(_ seconds: Double, of name: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date() - seconds], ofItemAtPath: folder.path + "/" + name)
  }

  @Test("No more than a thousand are kept, the newest ones")
  func bounded() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for number in 0..<CrashLedger.maxCount {
      try Data("code".utf8).write(to: folder.appending(path: "\(number)"))
    }
    try setAge(60, of: "17")
    #expect(names.count == CrashLedger.maxCount)
    try ledger.recordCrash("one more", codeDigest: "code")
    #expect(names.count == CrashLedger.maxCount)
    #expect(!names.contains("17") && names.contains("one more"))
  }

  @Test("Those of older code go with the next crash, those of long ago with a sweep")
  func pruned() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["a", "b", "c"] { try ledger.recordCrash(name, codeDigest: "old") }
    try ledger.recordCrash("d", codeDigest: "new")
    #expect(names == ["d"])
    try ledger.recordCrash("e", codeDigest: "new")
    try setAge(31 * 86_400, of: "e")
    #expect(ledger.prune(dryRun: true).files == 1)
    #expect(names == ["d", "e"])
    #expect(ledger.prune() == (1, 3))
    #expect(ledger.hasCrashed("d", codeDigest: "new") && !ledger.hasCrashed("e", codeDigest: "new"))
  }
}
