package import PhotoModel

extension FlowStep {
  /// Returns the number of the step out of four, such as `3/4`, or `nil` for the summary.
  package func progressText(in words: Words) -> String? {
    number.map { words("flow.progress", ["step": String($0), "count": String(Self.count)]) }
  }

  /// The title of the step's screen.
  package var title: TextKey {
    switch self {
    case .chip: "chip.title"
    case .photo: "photo.title"
    case .description: "description.title"
    case .contact: "contact.title"
    case .summary: "summary.title"
    }
  }
}
