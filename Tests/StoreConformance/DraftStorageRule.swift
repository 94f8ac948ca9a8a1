import Announcements
package import Foundation
package import ReportFlow
import Testing

/// An empty place where a store under test keeps drafts.
package struct DraftPlace: Sendable {
  /// Opens the place. Each opening is a new one, like that of another process.
  package let open: @Sendable () throws -> RecordedDrafts
  /// Attaches a photo to a draft or touches the existing one, at a moment that `expire` looks at.
  package let touchPhoto: @Sendable (_ draft: String, _ moment: Date) async throws -> Void
  /// Begins a photo of a draft, and leaves it in progress.
  package let beginPhoto: @Sendable (_ draft: String) async throws -> Void
  /// Returns whether a draft has a photo.
  package let hasPhoto: @Sendable (_ draft: String) async throws -> Bool
  /// Opens the announcements of the place with a clock; `nil` if the place has no announcements.
  package let announcements: Announcements?

  package typealias Announcements =
    @Sendable (_ now: @escaping @Sendable () -> Date) throws -> AnnouncementStore

  package init(
    open: @escaping @Sendable () throws -> RecordedDrafts,
    touchPhoto: @escaping @Sendable (_ draft: String, _ moment: Date) async throws -> Void,
    beginPhoto: @escaping @Sendable (_ draft: String) async throws -> Void,
    hasPhoto: @escaping @Sendable (_ draft: String) async throws -> Bool,
    announcements: Announcements? = nil
  ) {
    (self.beginPhoto, self.hasPhoto) = (beginPhoto, hasPhoto)
    (self.open, self.touchPhoto, self.announcements) = (open, touchPhoto, announcements)
  }
}

/// One rule of `RecordedDrafts` that every store has to keep. A test takes each rule of `all` as its argument, and
/// expects no findings in a new place.
package struct DraftStorageRule: Sendable, CustomTestStringConvertible {
  /// The rule in one sentence.
  package let testDescription: String
  private let check: @Sendable (DraftPlace, Findings) async throws -> Void

  init(
    _ sentence: String, check: @escaping @Sendable (DraftPlace, Findings) async throws -> Void
  ) {
    (testDescription, self.check) = (sentence, check)
  }

  /// Returns how the store of a new place breaks the rule; empty if it keeps it.
  package func findings(in place: DraftPlace) async -> [String] {
    let found = Findings()
    do { try await check(place, found) } catch { found.add("\(error)") }
    return found.all
  }

  package static let all = reading + writing + writingAtOnce + listing + expiring + space
}

/// Returns a moment for the rules. Seconds may have a fraction.
func moment(_ seconds: TimeInterval) -> Date {
  Date(timeIntervalSince1970: 1_763_000_000 + seconds)
}
