import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion
import SystemPackage
import ReportFlow

/// The notice and question before an import removes originals. `runs undo` uses the question, too.
enum SourceConsent {
  /// Returns the effect of `--delete-source` or `--move-source` on the originals.
  ///
  /// - Parameter inStore: `true` if the originals are objects of a store.
  static func meaning(movingTo folder: FilePath?, inStore: Bool) -> String {
    let act =
      folder.map { L10n.words("import.originals.moved", ["place": DisplayText.path($0)]) }
      ?? L10n.words("import.originals.deleted") + L10n.words("import.originals.rest")
    return act + (inStore ? " " + L10n.words("import.originals.versions") : "")
  }

  /// Asks at the terminal.
  ///
  /// - Throws: the exit code of an interruption unless the answer is yes.
  static func askAtTerminal(_ question: String) throws {
    Output.raw(question)
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
    if ["yes", "y", "tak", "t"].contains(answer) { return }
    Output.printNote(text: "import.nothingDone")
    throw ExitCode(StoreError.cancelled.exitCode)
  }
}
