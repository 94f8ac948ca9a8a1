import Foundation
import ReportFlow
import Synchronization

/// The language in which this process speaks to people, also where no command is at hand, such as
/// when a signal ends it.
enum Speech {
  private static let chosen = Mutex<ReportFlow.Words?>(nil)

  /// The texts: those of the command's language, before there is a command those of the environment's.
  static var words: ReportFlow.Words {
    get {
      chosen.withLock { words in
        if let words { return words }
        let found = ReportFlow.Words(
          LanguageOptions.language(of: ProcessInfo.processInfo.environment))
        words = found
        return found
      }
    }
    set { chosen.withLock { $0 = newValue } }
  }
}

extension ReportFlow.Words {
  /// One of two texts by the language, for what only this program says.
  func pick(en: String, pl: String) -> String { language == .en ? en : pl }
}
