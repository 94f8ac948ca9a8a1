import Announcements
import ReportFlow

/// Something to choose, in a form or by a link.
struct ChoiceView {
  /// The value in a form.
  var id = ""
  let name: String
  /// The address of a link.
  var address = ""
  let isChosen: Bool
  /// The races of a species.
  var races: [String] = []
}

extension ChoiceView {
  /// A species.
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
