import ArgumentParser
import Foundation
import PhotoIngestion
import ReportFlow
import SystemPackage

/// A reference to an announcement and its owner's code.
///
/// The code can be read from a file or the terminal, because on a machine with several users the arguments of a process
/// are visible to all of them.
struct OwnedAnnouncement: ParsableArguments {
  @OptionGroup var announcement: AnnouncementReference

  @Option(text: "help.announcements.close.password", "code")
  var password: String?

  @Option(
    parsing: .unconditional, help: .words("help.announcements.close.passwordFile", "file"),
    completion: .file(),
    transform: RawArguments.requiredPath)
  var passwordFile: FilePath?

  func validate() throws {
    try ValidationError.rejectBoth(
      "--password", password != nil, "--password-file", passwordFile != nil)
  }

  /// Throws if no code is given and there is no terminal to ask for one.
  func requireCode() throws {
    if password == nil, passwordFile == nil, isatty(STDIN_FILENO) != 1 {
      throw ValidationError(text: "usage.codeMissing")
    }
  }

  /// The key under which wrong codes are counted. It names the user of this machine, so users can't lock out each
  /// other.
  static var client: String { "user \(getuid())" }

  /// Returns the code. Asks for it without echo if it is not given.
  func code() throws -> String {
    if let password { return password }
    guard let passwordFile else { return try Self.askForCode(L10n.words("status.password") + ": ") }
    let isInput = passwordFile == "-"
    let file = isInput ? STDIN_FILENO : open(passwordFile.string, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw Failure(.photo(.unreadable(.system(errno: errno))), about: passwordFile)
    }
    defer { if !isInput { close(file) } }
    guard let line = try about(passwordFile, { () throws(StoreError) in try Self.line(of: file) })
    else { throw Failure(.photo(.empty), about: passwordFile) }
    return line
  }

  /// Asks for the code at the terminal with echo turned off, and turns it on again even after an interruption.
  private static func askForCode(_ question: String) throws -> String {
    var shown = termios()
    guard tcgetattr(STDIN_FILENO, &shown) == 0 else {
      throw PhotoError.unreadable(.system(errno: errno))
    }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    let before = shown
    let restore: @Sendable () -> Void = {
      var shown = before
      tcsetattr(STDIN_FILENO, TCSANOW, &shown)
    }
    return try Interruption.withCleanup(restore) {
      tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
      defer {
        restore()
        Output.raw("\n")
      }
      Output.raw(question)
      return try line(of: STDIN_FILENO) ?? ""
    }
  }

  /// Returns the first line, at most 4096 bytes, or `nil` if it is empty.
  private static func line(of file: Int32) throws(StoreError) -> String? {
    var (line, byte): ([UInt8], UInt8) = ([], 0)
    while line.count < 4096 {
      let count = read(file, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .photo(.unreadable(.system(errno: errno))) }
      if count == 0 || byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty ? nil : text
  }
}
