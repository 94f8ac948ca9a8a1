import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// The confirmation for commands that would forget library photos that are only copies.
enum OnlyCopyWords {
  /// The maximum number of photos that are named.
  private static let most = 10

  /// Lists the photos, and throws unless `allowed` is `true`. At a terminal, the person must also type the number
  /// of photos.
  ///
  /// - Throws: `StoreError.onlyCopies`, or the exit code of an interruption if a different number is typed.
  static func check(
    _ copies: [OnlyCopy], of photos: PhotoAttachmentCache, allowed: Bool, json: Bool
  ) throws {
    // A script has no terminal as standard input. A person whose standard error is redirected is still asked.
    if copies.isEmpty || allowed && isatty(STDIN_FILENO) == 0 { return }
    for copy in copies.prefix(most) where !json {
      let name = try photos.findPhoto(copy.photo)?.photo.facts.fileName ?? ""
      Output.printNote("  \(copy.photo)  \(DisplayText.name(name)): \(copy.original.words)")
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
      Output.printNote(text: "import.nothingDone")
      throw ExitCode(StoreError.cancelled.exitCode)
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
