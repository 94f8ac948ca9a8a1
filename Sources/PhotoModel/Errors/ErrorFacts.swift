import Foundation
import ImageContainers

/// The facts of an error that programs and pages use in addition to its message.
package struct ErrorFacts: Sendable {
  /// The stable identifier for JSON and logs.
  package var code: String
  /// The party that can do something about the error.
  package var blame: PhotoError.Blame
  /// Further facts under stable keys. The name of a limit defines the unit of its size: pixels, frames, bytes or
  /// seconds.
  package var details: KeyValuePairs<String, Detail>

  /// A fact of one error. Its case is the unit, which decides how sentences show it.
  package enum Detail: Encodable, Sendable, Equatable {
    case text(String)
    case texts([String])
    case number(Int)
    /// A stable word. An error may have its own sentence for it.
    case word(String)
    /// A stable word for a photo's damage.
    case damage(String)
    /// A media type, or the coding inside of a container.
    case media(String)
    /// A stable word for a kind of file, such as `fifo`.
    case kind(String)
    /// The percentage of a damaged photo's rows that can be shown, if the missing part is simply its bottom.
    case shown(Int?)
    /// The number of a system error.
    case errno(Int32)
    /// The number of a user.
    case user(Int)
    case unknown

    /// The detail without its unit.
    package var plain: Self {
      switch self {
      case .word(let text), .damage(let text), .media(let text), .kind(let text): .text(text)
      case .shown(let percent): percent.map(Self.number) ?? .unknown
      case .errno(let number): .number(Int(number))
      case .user(let number): .number(number)
      case .text, .texts, .number, .unknown: self
      }
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch plain {
      case .text(let text): try container.encode(text)
      case .texts(let texts): try container.encode(texts)
      case .number(let number): try container.encode(number)
      default: try container.encodeNil()
      }
    }
  }

  /// Creates facts.
  package init(
    _ code: String, _ blame: PhotoError.Blame, _ details: KeyValuePairs<String, Detail> = [:]
  ) {
    self.code = code
    self.blame = blame
    self.details = details
  }
}

extension ErrorFacts: CustomStringConvertible {
  /// The code and the details, for developers. `message(in:)` returns the text for people.
  package var description: String {
    let texts = details.compactMap { key, detail -> String? in
      switch (detail, detail.plain) {
      // The `errno` gives the reason.
      case (.word("system"), _) where key == "reason": nil
      case (.errno(let number), _): String(cString: strerror(number))
      case (_, .text(let text)): text.isEmpty ? nil : text
      case (_, .texts(let texts)): texts.joined(separator: " ")
      case (_, .number(let number)): "\(key) \(number)"
      default: nil
      }
    }
    return texts.isEmpty ? code : code + ": " + texts.joined(separator: ", ")
  }
}
