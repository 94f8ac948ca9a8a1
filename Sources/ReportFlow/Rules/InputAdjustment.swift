public import Announcements

/// What was left out of a text that a person entered. Nothing is cut or dropped without a message.
public struct InputAdjustment: Sendable, Equatable, Codable {
  /// The field the text was for.
  public let field: FormField
  /// What happened to it.
  public let change: Change

  /// The ways a text is adjusted.
  public enum Change: Sendable, Equatable, Codable {
    /// It had more than `limit` characters or digits; this many are gone.
    case shortened(surplus: Int, limit: Int)
    /// These characters are none of the field's.
    case dropped(String)
  }

  /// A stable word for programs: `shortened` or `dropped`.
  public var code: String {
    switch change {
    case .shortened: "shortened"
    case .dropped: "dropped"
    }
  }

  /// What to tell a person.
  public func message(in words: Words) -> String {
    switch change {
    case .shortened(let surplus, let limit):
      words(
        field == .chip ? "adjusted.digits" : "adjusted.text",
        ["limit": String(limit), "count": String(surplus)])
    case .dropped(let text): words("adjusted.dropped", ["text": text])
    }
  }

  /// Everything that is not kept of `text` in `field`.
  public static func of(_ field: FormField, _ text: String) -> [InputAdjustment] {
    func surplus(_ count: Int, over limit: Int) -> [InputAdjustment] {
      count <= limit
        ? [] : [Self(field: field, change: .shortened(surplus: count - limit, limit: limit))]
    }
    switch field {
    case .chip:
      // What people put between groups of digits belongs to how the number is written.
      let foreign = text.trimmed.filter { !(" -–./\u{A0}".contains($0) || isDigit($0)) }
      return (foreign.isEmpty ? [] : [Self(field: field, change: .dropped(foreign))])
        + surplus(PhoneNumber.digits(text).count, over: ChipNumber.maxDigits)
    default: return field.maxLength.map { surplus(text.count, over: $0) } ?? []
    }
  }

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}
