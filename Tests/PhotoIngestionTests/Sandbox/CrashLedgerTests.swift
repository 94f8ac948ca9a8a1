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

  private func digest(_ number: Int) -> String {
    String(repeating: "0", count: 60) + String(number + 4096, radix: 16)
  }

  @Test("A sweep keeps the newest thousand")
  func bounded() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for number in 0...CrashLedger.maxCount {
      try ledger.recordCrash(digest(number), codeDigest: "code")
    }
    try setAge(60, of: digest(17))
    #expect(names.count == CrashLedger.maxCount + 1)
    #expect(try ledger.prune(names, dryRun: true) == (1, 4))
    #expect(names.contains(digest(17)))
    #expect(try ledger.prune(names) == (1, 4))
    #expect(names.count == CrashLedger.maxCount && !names.contains(digest(17)))
  }

  @Test("Very old records and those far in the future are deleted; those of other code stay")
  func old() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for number in 0..<4 { try ledger.recordCrash(digest(number), codeDigest: "code \(number % 2)") }
    try setAge(31 * 86_400, of: digest(0))
    try setAge(-31 * 86_400, of: digest(1))
    #expect(try ledger.prune(names).files == 2)
    #expect(names == [digest(2), digest(3)])
    #expect(ledger.hasCrashed(digest(2), codeDigest: "code 0"))
    #expect(!ledger.hasCrashed(digest(2), codeDigest: "code 1"))
    #expect(ledger.hasCrashed(digest(3), codeDigest: "code 1"))
  }

  @Test("Files with other names, and anything but files, stay")
  func foreign() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try ledger.recordCrash(digest(0), codeDigest: "code")
    try Data("mine".utf8).write(to: folder.appending(path: "notes.txt"))
    try FileManager.default.createDirectory(
      at: folder.appending(path: digest(1)), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/" + digest(2), withDestinationPath: "notes.txt")
    let before = names
    #expect(try ledger.prune(before, at: .distantFuture).files == 1)
    #expect(names == before.filter { $0 != digest(0) })
    try ledger.recordCrash(digest(3), codeDigest: "code")
    #expect(throws: Errno.self) { try ledger.recordCrash(digest(2), codeDigest: "code") }
    #expect(try String(contentsOf: folder.appending(path: "notes.txt"), encoding: .utf8) == "mine")
  }
}
