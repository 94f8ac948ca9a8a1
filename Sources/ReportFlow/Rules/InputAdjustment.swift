package import Announcements
package import PhotoModel

/// A note about characters that were removed from a person's text. Every removal gets a message.
package struct InputAdjustment: Sendable, Equatable, Codable {
  /// The field that the text was entered in.
  package let field: FormField
  /// The kind of adjustment.
  package let change: Change

  /// The kinds of adjustment.
  package enum Change: Sendable, Equatable, Codable {
    /// The text exceeded `limit` characters or digits, and the `surplus` was removed.
    case shortened(surplus: Int, limit: Int)
    /// These characters were removed because the field doesn't accept them.
    case dropped(String)
  }

  /// A stable identifier for programs: `shortened` or `dropped`.
  package var code: String {
    switch change {
    case .shortened: "shortened"
    case .dropped: "dropped"
    }
  }

  /// Returns the message for a person.
  package func message(in words: Words) -> String {
    switch change {
    case .shortened(let surplus, let limit):
      words(
        field == .chip ? "adjusted.digits" : "adjusted.text",
        ["limit": String(limit), "count": String(surplus)])
    case .dropped(let text): words("adjusted.dropped", ["text": text])
    }
  }

  /// Returns the adjustments that `field` makes to `text`.
  package static func of(_ field: FormField, _ text: String) -> [InputAdjustment] {
    func surplus(_ count: Int, over limit: Int) -> [InputAdjustment] {
      count <= limit
        ? [] : [Self(field: field, change: .shortened(surplus: count - limit, limit: limit))]
    }
    switch field {
    case .chip:
      // Common separators between groups of digits are part of the notation, so they aren't reported.
      let foreign = text.trimmed.filter { !(" -–./\u{A0}".contains($0) || isDigit($0)) }
      return (foreign.isEmpty ? [] : [Self(field: field, change: .dropped(foreign))])
        + surplus(PhoneNumber.digits(text).count, over: ChipNumber.maxDigits)
    default: return field.maxLength.map { surplus(text.count, over: $0) } ?? []
    }
  }

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}
