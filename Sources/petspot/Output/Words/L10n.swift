import Announcements
import ArgumentParser
import Foundation
import ReportFlow
import Synchronization

/// The texts in the language of this process. Global, because they are also needed outside of commands, such as when a
/// signal ends the process.
enum L10n {
  private static let chosen = Mutex<Words?>(nil)

  /// The texts in the command's language, or in the environment's language until a command has selected one.
  static var words: Words {
    get {
      chosen.withLock { words in
        if let words { return words }
        words = .ofProcess
        return .ofProcess
      }
    }
    set { chosen.withLock { $0 = newValue } }
  }

  /// Selects the language that the option `--lang` names, if it is given and valid.
  static func selectLanguage(from arguments: [String]) {
    let options = arguments.prefix { $0 != "--" }
    for (option, value) in zip(options, options.dropFirst()) where option == "--lang" {
      if let language = Language(rawValue: value) { words = Words(language) }
    }
    for option in options where option.hasPrefix("--lang=") {
      if let language = Language(rawValue: String(option.dropFirst(7))) {
        words = Words(language)
      }
    }
  }

  /// Splits a text that is a list into its parts.
  static func list(_ text: TextKey) -> [String] { words(text).components(separatedBy: ", ") }

  /// Returns texts for the counts that are not zero.
  static func counts(_ counts: [(count: Int, key: TextKey)]) -> [String] {
    counts.filter { $0.count > 0 }.map { words($0.key, count: $0.count) }
  }
}

extension ArgumentHelp {
  /// Returns the help for an option that fills a field of the report.
  static func field(_ field: FormField, _ valueName: String = "text") -> Self {
    Self(field.help.map { L10n.words($0) } ?? "", valueName: valueName)
  }
}
