import Announcements
import ReportFlow

/// An option in a form or a list of links.
struct ChoiceView {
  /// The value in a form.
  var id = ""
  let name: String
  /// The URL of a link.
  var address = ""
  let isChosen: Bool
  /// The races of a species, as suggestions.
  var races: [String] = []
}

extension ChoiceView {
  /// Creates the option of a species.
  init(
    _ option: SpeciesTaxonomyOption, chosen: String? = nil, address: String = "",
    races: [String] = [], in words: Words
  ) {
    self.init(
      id: option.id, name: option.displayName(in: words), address: address,
      isChosen: option.id == chosen, races: races)
  }

  static func genders(chosen: String?, in words: Words) -> [Self] {
    Gender.allCases.map {
      Self(id: $0.rawValue, name: $0.displayName(in: words), isChosen: $0.rawValue == chosen)
    }
  }
}
