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
  /// - Throws: a failure that names them, or the code of an interruption when another number is typed.
  static func check(
    _ copies: [OnlyCopy], of photos: PhotoAttachmentCache, allowed: Bool, json: Bool
  ) throws {
    if copies.isEmpty || allowed && !Terminal.isInteractive { return }
    let named = try copies.prefix(most).map { copy in
      (copy.photo.uuidString, try photos.found(copy.photo)?.photo.facts.fileName ?? "", copy)
    }
    for (id, name, copy) in named where !json {
      Output.note("  \(id)  \(DisplayText.name(name)): \(copy.original.words)")
    }
    if copies.count > most, !json {
      Output.note("  " + L10n.words("onlyCopies.more", count: copies.count - most))
    }
    guard allowed else {
      throw ReportFailure(
        code: "only-copies", message: L10n.words("command.error.onlyCopies", count: copies.count),
        exitCode: 65,
        facts: [
          "count": .int(copies.count),
          "photos": .array(
            named.map { id, name, copy in
              [
                "id": .string(id), "fileName": .string(name),
                "message": .string(copy.original.words),
              ]
            }),
        ])
    }
    let number = "\(copies.count)"
    Output.raw(L10n.words("onlyCopies.ask", count: copies.count, ["number": number]))
    guard readLine()?.trimmingCharacters(in: .whitespaces) == number else {
      Output.note(text: "import.nothingDone")
      throw ExitCode(StoreError.cancelled.facts.exitCode)
    }
  }
}

extension OnlyCopy.Original {
  fileprivate var words: String {
    switch self {
    case .deleted: L10n.words("onlyCopies.deleted")
    case .moved(let path): L10n.words("onlyCopies.moved", ["place": DisplayText.path(path)])
    case .gone: L10n.words("onlyCopies.gone")
    case .unreachable: L10n.words("onlyCopies.unreachable")
    }
  }
}
