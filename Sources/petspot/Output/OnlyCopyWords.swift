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
    if copies.isEmpty || allowed && !Terminal.isInteractive { return }
    for copy in copies.prefix(most) where !json {
      let name = try photos.found(copy.photo)?.photo.facts.fileName ?? ""
      Output.note("  \(copy.photo)  \(DisplayText.name(name)): \(copy.original.words)")
    }
    guard allowed else { throw StoreError.onlyCopies(photos: copies.map(\.photo.uuidString)) }
    let number = "\(copies.count)"
    Output.raw(L10n.words("onlyCopies.ask", count: copies.count, ["number": number]))
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
