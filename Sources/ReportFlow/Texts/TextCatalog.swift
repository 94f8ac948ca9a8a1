import CTexts
import Foundation

/// The texts of one language by their names, from a catalog that the program carries.
package enum TextCatalog {
  /// Every text of a language; parsed when the first of them is asked for.
  static func texts(of language: Language) -> [String: String] {
    switch language {
    case .en: english
    case .pl: polish
    }
  }

  /// The template of an import's page.
  package static var importPage: String { String(cString: petspot_import_page()) }

  /// The species that a report can name, as JSON.
  static var species: Data { Data(String(cString: petspot_species()).utf8) }

  private static let english = parse(petspot_texts_en())
  private static let polish = parse(petspot_texts_pl())

  /// Parses entries such as `"name" = "text";`, each on a line of its own. A text may go on over several
  /// lines, and has `\n`, `\"` and `\\` for what can't stand in it. Lines between entries are comments.
  private static func parse(_ catalog: UnsafePointer<UInt8>) -> [String: String] {
    var texts: [String: String] = [:]
    texts.reserveCapacity(1_024)
    var line = UnsafeRawPointer(catalog).assumingMemoryBound(to: CChar.self)
    while line.pointee != 0 {
      let isEntry = line.pointee == CChar(bitPattern: UInt8(ascii: "\""))
      guard let end = strstr(line, isEntry ? "\";\n" : "\n") else { break }
      if isEntry, let equals = strstr(line, "\" = \"") {
        texts[string(from: line + 1, to: equals)] = unescaped(string(from: equals + 5, to: end))
      }
      line = UnsafePointer(end) + (isEntry ? 3 : 1)
    }
    return texts
  }

  private static func string(from start: UnsafePointer<CChar>, to end: UnsafePointer<CChar>)
    -> String
  {
    String(decoding: UnsafeRawBufferPointer(start: start, count: end - start), as: UTF8.self)
  }

  private static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    return text.replacing(/\\(.)/) { $0.1 == "n" ? "\n" : String($0.1) }
  }
}
