import Foundation
import Testing

/// Runs the program with input that isn't a photo. A photo was confirmed before, and has to be confirmed afterward.
@Suite struct BadInputRunTests {
  let program: Box

  /// The program and its folders. They are in a class because Swift Testing copies a suite.
  final class Box {
    let program: Program
    let id: String

    init() throws {
      program = try Program()
      id = try program.attachFirst()
    }
  }

  init() throws { program = try Box() }

  /// Runs `attach`, and expects one readable line, the error object, and the earlier photo.
  private func refused(
    _ path: String, exit: Int32, code: String, says words: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try check(
      program.program.run("attach", path, "--json"), exit: exit, code: code, says: words,
      sourceLocation)
  }

  private func check(
    _ outcome: Program.Outcome, exit: Int32, code: String, says words: String,
    _ sourceLocation: SourceLocation
  ) throws {
    outcome.expectError(exit: exit, code: code, says: words, sourceLocation)
    try program.program.expectConfirmed(program.id, sourceLocation)
  }

  private func file(_ name: String) -> String { program.program.work.appending(path: name).path }

  @Test func folder() throws {
    try refused(program.program.work.path, exit: 66, code: "unreadable", says: "is a folder")
  }

  @Test func socket() throws {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = "/tmp/\(UUID().uuidString.prefix(8)).sock"
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    defer { unlink(name) }
    try refused(name, exit: 66, code: "unreadable", says: "is a socket")
  }

  @Test func pipeThatNobodyWritesTo() throws {
    try #require(mkfifo(file("pipe.jpg"), 0o600) == 0)
    try refused(file("pipe.jpg"), exit: 66, code: "unreadable", says: "petspot attach - --name")
  }

  @Test(arguments: ["/dev/zero", "/dev/null", "/dev/tty"])
  func device(_ path: String) throws {
    try refused(path, exit: 66, code: "unreadable", says: "is a device")
  }

  @Test func missingFile() throws {
    try refused(file("gone.jpg"), exit: 66, code: "unreadable", says: "Check the name")
    try FileManager.default.createSymbolicLink(
      atPath: file("link.jpg"), withDestinationPath: file("gone.jpg"))
    try refused(file("link.jpg"), exit: 66, code: "unreadable", says: "Check the name")
  }

  @Test func emptyFile() throws {
    try Data().write(to: URL(filePath: file("empty.jpg")))
    try refused(file("empty.jpg"), exit: 65, code: "empty", says: "is empty (0 bytes)")
  }

  @Test func standardInputWithNothingOnIt() throws {
    try check(
      program.program.run("attach", "-", "--json"), exit: 65, code: "empty",
      says: "Standard input is empty", #_sourceLocation)
  }

  @Test func fileThatMayNotBeRead() throws {
    try Data("secret".utf8).write(to: URL(filePath: file("secret.jpg")))
    chmod(file("secret.jpg"), 0)
    let script = "\(Self.asOrdinaryUser) $petspot attach '\(file("secret.jpg"))' --json"
    try check(
      program.program.run(script: script), exit: 66, code: "unreadable", says: "chmod u+r",
      #_sourceLocation)
  }

  @Test func nameThatIsNoText() throws {
    let odd = "'\(program.program.work.path)'/\"$(printf 'odd\\033[31m \\377.gif')\""
    let missing = try program.program.run(script: "$petspot attach \(odd) --json")
    try check(
      missing, exit: 66, code: "unreadable", says: "odd\\x1B[31m \\xFF.gif", #_sourceLocation)
    let script = "cp '\(Program.image("still.gif"))' \(odd); $petspot attach \(odd) --json"
    let attached = try program.program.run(script: script)
    #expect(attached.exitCode == 0, "\(attached.err)")
    let photo = try #require(attached.json["photo"] as? [String: Any])
    #expect(photo["fileName"] as? String == "odd\\x1B[31m \\xFF.gif")
  }

  /// A command prefix that gives up root's right to read everything.
  static let asOrdinaryUser =
    geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search" : ""
}

extension Program {
  /// Attaches a photo and returns its ID.
  func attachFirst() throws -> String {
    let attached = try run("attach", Self.image("gps-exif.jpg"), "--json")
    try #require(attached.exitCode == 0, "\(attached.err)")
    let photo = try #require(attached.json["photo"] as? [String: Any])
    return try #require(photo["id"] as? String)
  }

  /// Expects that this photo is confirmed and its bytes are intact.
  func expectConfirmed(_ id: String, _ sourceLocation: SourceLocation) throws {
    let status = try run("status", "--json")
    #expect(
      (status.json["photo"] as? [String: Any])?["id"] as? String == id,
      "\(status.out)\(status.err)",
      sourceLocation: sourceLocation)
    let verified = try run("verify", "--all", "--json")
    #expect(verified.exitCode == 0, "\(verified.out)", sourceLocation: sourceLocation)
  }
}

extension Program.Outcome {
  /// Expects this error: the exit code, the object for programs, and one line for people with these words.
  func expectError(
    exit: Int32, code: String, says words: String, _ sourceLocation: SourceLocation
  ) {
    #expect(exitCode == exit, "\(err)", sourceLocation: sourceLocation)
    let error = json["error"] as? [String: Any]
    #expect(error?["code"] as? String == code, "\(out)", sourceLocation: sourceLocation)
    let message = error?["message"] as? String ?? ""
    #expect(err == "petspot: \(message)\n", sourceLocation: sourceLocation)
    #expect(message.contains(words), "\(message)", sourceLocation: sourceLocation)
    #expect(
      !err.dropLast().unicodeScalars.contains { $0.properties.generalCategory == .control },
      sourceLocation: sourceLocation)
  }
}
