import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion
import SystemPackage
import ReportFlow

/// What is said and asked before an import takes originals away.
enum SourceConsent {
  /// What `--delete-source` or `--move-source` means for the originals.
  ///
  /// - Parameter inStore: whether they are objects of a store.
  static func meaning(movingTo folder: FilePath?, inStore: Bool) -> String {
    let act =
      folder.map { L10n.words("import.originals.moved", ["place": DisplayText.path($0)]) }
      ?? L10n.words("import.originals.deleted") + L10n.words("import.originals.rest")
    return act + (inStore ? " " + L10n.words("import.originals.versions") : "")
  }

  /// Asks at the terminal.
  ///
  /// - Throws: the code of an interruption for any answer but yes.
  static func ask(_ question: String) throws {
    Output.raw(question)
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
    if ["yes", "y", "tak", "t"].contains(answer) { return }
    Output.note(text: "import.nothingDone")
    throw ExitCode(StoreError.cancelled.facts.exitCode)
  }
}
