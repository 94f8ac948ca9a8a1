import Foundation
import Testing

@testable import petspot

/// Tests of the program's version.
@Suite struct VersionRunTests {
  private static let libraries = [
    "libvips", "libmagic", "libheif", "libavcodec", "libcrypto", "sqlite",
  ]

  @Test func theVersionTellsWhatTheProgramRunsOn() throws {
    let program = try Program()
    let told = try program.run("--version")
    let lines = told.out.split(separator: "\n")
    #expect(told.exitCode == 0 && told.err.isEmpty)
    #expect(lines.first?.hasPrefix("petspot \(ProgramVersion.current) (") == true, "\(lines)")
    #expect(lines.dropFirst().map { String($0.prefix { $0 != " " }) } == Self.libraries)
    #expect(try program.run("attach", "--version").out == told.out)
    #expect(try program.run("--version", "--lang", "pl").out.hasPrefix("petspot "))
  }

  /// Programs get the same facts from `--version` and `doctor`.
  @Test func theVersionIsThereForPrograms() throws {
    let program = try Program()
    let version = try program.run("status", "--version", "--json").json
    let doctor = try program.run("doctor", "--json").json
    #expect(version["version"] as? String == ProgramVersion.current)
    for name in ["version", "commit"] + Self.libraries {
      let (one, other) = (version[name], doctor[name])
      #expect(one != nil && "\(one ?? "")" == "\(other ?? "")", "\(name)")
    }
    for name in ["libcrypto", "sqlite"] {
      #expect((version[name] as? String)?.first?.isNumber == true, "\(version)")
    }
  }

  /// The commit is shown only if it was recorded after the program was built.
  @Test func theCommitIsThatOfTheBuild() throws {
    let program = try Program()
    let folder = Program.executable.deletingLastPathComponent()
      .appending(path: "version-\(UUID().uuidString)")
    let files = FileManager.default
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    let own = folder.appending(path: "petspot")
    try files.linkItem(at: Program.executable, to: own)
    func told() throws -> String {
      try String(program.run(script: "'\(own.path)' --version").out.prefix { $0 != "\n" })
    }
    #expect(try told().hasSuffix(" (commit not recorded)"))
    let commit = folder.appending(path: "petspot.commit")
    try Data("0123456789ab\n".utf8).write(to: commit)
    #expect(try told().hasSuffix(" (commit 0123456789ab)"))
    try files.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: commit.path)
    #expect(try told().hasSuffix(" (commit not recorded)"))
  }
}
