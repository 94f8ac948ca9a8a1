import Announcements
import ArgumentParser
import Foundation
import ReportFlow
import Synchronization

/// The texts of this process in its language, also where no command is at hand, such as
/// when a signal ends it.
enum L10n {
  private static let chosen = Mutex<Words?>(nil)

  /// The texts: those of the command's language, before there is a command those of the environment's.
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

  /// Selects the language that `--lang` among the arguments names, if it names one.
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

  /// A text that is a list, in its parts.
  static func list(_ text: TextKey) -> [String] { words(text).components(separatedBy: ", ") }
}

extension ArgumentHelp {
  /// What an option for a field of the report says.
  static func field(_ field: FormField, _ valueName: String = "text") -> Self {
    Self(field.help.map { L10n.words($0) } ?? "", valueName: valueName)
  }
}
