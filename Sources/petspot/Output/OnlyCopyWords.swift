import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// Library photos that are only copies, in the words of the commands that would forget them.
enum OnlyCopyWords {
  /// How many are named.
  private static let most = 10

  /// Names them, and lets them go only when they are asked for; at a terminal by their number, too.
  ///
  /// - Throws: `StoreError.onlyCopies`, or the code of an interruption when another number is typed.
  static func check(
    _ copies: [OnlyCopy], of photos: PhotoAttachmentCache, allowed: Bool, json: Bool
  ) throws {
    // A script has no terminal; one whose errors go elsewhere is still asked at.
    if copies.isEmpty || allowed && isatty(STDIN_FILENO) == 0 { return }
    for copy in copies.prefix(most) where !json {
      let name = try photos.found(copy.photo)?.photo.facts.fileName ?? ""
      Output.note("  \(copy.photo)  \(DisplayText.name(name)): \(copy.original.words)")
    }
    let terminal: FileHandle? =
      Terminal.isInteractive ? .standardError : FileHandle(forWritingAtPath: "/dev/tty")
    guard allowed, let terminal else {
      throw StoreError.onlyCopies(photos: copies.map(\.photo.uuidString))
    }
    let number = "\(copies.count)"
    let question = L10n.words("onlyCopies.ask", count: copies.count, ["number": number])
    try terminal.write(contentsOf: Data(question.utf8))
    guard readLine()?.trimmingCharacters(in: .whitespaces) == number else {
      Output.note(text: "import.nothingDone")
      throw ExitCode(StoreError.cancelled.facts.exitCode)
    }
  }
}

extension LostOriginal {
  fileprivate var words: String {
    switch self {
    case .deleted: L10n.words("onlyCopies.deleted")
    case .moved(let path): L10n.words("onlyCopies.moved", ["place": DisplayText.path(path)])
    case .gone: L10n.words("onlyCopies.gone")
    case .unreachable: L10n.words("onlyCopies.unreachable")
    }
  }
}
