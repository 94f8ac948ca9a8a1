import CTexts
import Foundation
import PhotoModel

/// The texts of reports, pages and commands, and other resources that are linked into the program.
package enum ReportCatalog {
  /// Returns all texts of a language, with those about photos and stores. The first call parses the catalogs.
  static func texts(of language: Language) -> [String: String] {
    switch language {
    case .en: english
    case .pl: polish
    }
  }

  /// The template of the import report page.
  package static var importPage: String { String(cString: petspot_import_page()) }

  /// The species that a report can name, as JSON.
  static var species: Data { Data(String(cString: petspot_species()).utf8) }

  private static let english = TextCatalog.parse(
    petspot_texts_en(), adding: TextCatalog.texts(of: .en))
  private static let polish = TextCatalog.parse(
    petspot_texts_pl(), adding: TextCatalog.texts(of: .pl))
}
