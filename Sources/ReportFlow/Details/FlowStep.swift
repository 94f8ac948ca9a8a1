public import Announcements

/// The steps of the flow, in order (decision 13).
public enum FlowStep: String, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
  case chip, photo, description, contact, summary

  /// The step's number, 1 to 4, or `nil` for the summary, which shows no progress.
  public var number: Int? { self == .summary ? nil : index + 1 }
  /// The number of numbered steps.
  public static let count = 4

  var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  /// The following step. The summary is followed by itself.
  package var next: Self { Self.allCases[min(index + 1, Self.allCases.count - 1)] }
  /// The preceding step, or `nil` for the first step.
  package var previous: Self? { index == 0 ? nil : Self.allCases[index - 1] }
}

extension FlowStep {
  /// The step's fields in their order on screen (seeds 031 and 046).
  public var fields: [FormField] {
    switch self {
    case .chip: [.chip]
    case .photo, .summary: []
    case .description: FormField.allCases.drop { $0 != .date }.prefix { $0 != .name } + []
    case .contact: FormField.allCases.drop { $0 != .name } + []
    }
  }
}

extension FormField {
  /// The step whose form contains the field.
  var step: FlowStep { FlowStep.allCases.first { $0.fields.contains(self) } ?? .photo }
}
