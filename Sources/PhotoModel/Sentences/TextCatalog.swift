import CPhotoTexts
import Foundation

/// The texts of each language by name, from catalogs that are linked into the program.
package enum TextCatalog {
  /// Returns the texts about photos and stores.
  package static func texts(of language: Language) -> [String: String] {
    switch language {
    case .en: english
    case .pl: polish
    }
  }

  private static let english = parse(petspot_photo_texts_en())
  private static let polish = parse(petspot_photo_texts_pl())

  /// Parses entries such as `"name" = "text";`, each starting on its own line, and adds them to other texts. A text may
  /// span several lines and escapes line breaks, quotes and backslashes as `\n`, `\"` and `\\`. Lines between entries
  /// are comments.
  package static func parse(
    _ catalog: UnsafePointer<UInt8>, adding others: [String: String] = [:]
  ) -> [String: String] {
    var texts = others
    texts.reserveCapacity(others.count + 256)
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
