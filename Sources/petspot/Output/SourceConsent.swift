import Foundation
import SystemPackage
import ReportFlow

/// What is said and asked before an import takes originals away.
enum SourceConsent {
  /// What `--delete-source` or `--move-source` means for the originals.
  ///
  /// - Parameter inStore: whether they are objects of a store.
  static func meaning(movingTo folder: FilePath?, inStore: Bool) -> String {
    meaning(movingTo: folder) + (inStore ? " " + versions : "")
  }

  /// What is promised where an object may be written again while it is imported.
  private static var versions: String { L10n.words("import.originals.versions") }

  private static func meaning(movingTo folder: FilePath?) -> String {
    let rest = L10n.words("import.originals.rest")
    guard let folder else { return L10n.words("import.originals.deleted") + rest }
    let place = DisplayText.path(folder)
    return L10n.words("import.originals.moved", ["place": place])
  }

  /// Asks at the terminal; anything but yes is a no.
  static func ask(_ question: String) throws -> Bool {
    Output.raw(question)
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
    return ["yes", "y", "tak", "t"].contains(answer)
  }
}
