import Foundation
import SystemPackage

/// Parses a path that was typed, pasted, or dropped into the terminal.
enum TypedPath {
  /// Returns the path that is meant, or `nil` if nothing is left.
  ///
  /// The text is used unchanged if such a file exists. Otherwise, what terminals and shells add is removed: quotes,
  /// backslashes, `file://` with percent encoding, and a leading tilde.
  static func path(_ answer: String) -> FilePath? {
    let meanings = [answer, plain(answer)].map(home).compactMap(RawArguments.path)
    return meanings.first { access($0.string, F_OK) == 0 } ?? meanings.last
  }

  /// Returns the completions of a prefix. Folders end with a slash.
  static func completions(_ beginning: String) -> [String] {
    let quote = beginning.first.map { "'\"".contains($0) } == true ? beginning.prefix(1) : ""
    let typed = String(beginning.dropFirst(quote.count))
    let cut = typed.lastIndex(of: "/").map { typed.index(after: $0) } ?? typed.startIndex
    let folder = typed[..<cut]
    let name = typed[cut...]
    guard let path = RawArguments.path(home(folder.isEmpty ? "." : String(folder))),
      let listing = opendir(path.string)
    else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let bytes = withUnsafeBytes(of: entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
      let found = RawArguments.encode(bytes)
      guard found.hasPrefix(name), !found.hasPrefix(".") || name.hasPrefix("."),
        found != ".", found != ".."
      else { continue }
      let isFolder = RawArguments.path(found).map { path.appending($0.components).isFolder }
      names.append(quote + folder + found + (isFolder == true ? "/" : ""))
    }
    return names.sorted()
  }

  /// Replaces a leading `~/` by the home folder.
  private static func home(_ text: String) -> String {
    guard text.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"] else {
      return text
    }
    return home + text.dropFirst()
  }

  /// Removes quotes, backslashes and `file://`.
  private static func plain(_ answer: String) -> String {
    var text = answer
    for quote in ["'", "\""] where text.count > 1 && text.hasPrefix(quote) && text.hasSuffix(quote)
    {
      // A shell writes a single quote within single quotes like this.
      text = String(text.dropFirst().dropLast()).replacing("'\\''", with: "'")
      return text.hasPrefix("file://") ? RawArguments.unescapedAddress(text) : text
    }
    return text.hasPrefix("file://") ? RawArguments.unescapedAddress(text) : unescaped(text)
  }

  /// Removes a shell's backslashes. Each makes the next character literal.
  private static func unescaped(_ text: String) -> String {
    var plain = ""
    var isEscaped = false
    for character in text {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        plain.append(character)
        isEscaped = false
      }
    }
    return plain
  }
}
