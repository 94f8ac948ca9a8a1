import Announcements
package import Foundation
package import ReportFlow
import Testing

/// A place where a store under test keeps drafts; there are none yet.
package struct DraftPlace: Sendable {
  /// Opens the place, once more each time, as another process would.
  package let open: @Sendable () throws -> RecordedDrafts
  /// Gives a draft a photo, or touches the one it has, at a moment; `expire` looks at that.
  package let touchPhoto: @Sendable (_ draft: String, _ moment: Date) async throws -> Void
  /// Begins a photo of a draft, which stays under way.
  package let beginPhoto: @Sendable (_ draft: String) async throws -> Void
  /// Whether a draft has a photo.
  package let hasPhoto: @Sendable (_ draft: String) async throws -> Bool
  /// The announcements of the same place, with a clock; nil when there is nowhere to keep any.
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

/// One rule of `RecordedDrafts` that every store has to keep: give each of `all` to a test as its
/// argument, and expect that it finds nothing in a new place.
package struct DraftStorageRule: Sendable, CustomTestStringConvertible {
  /// The rule in a sentence.
  package let testDescription: String
  private let check: @Sendable (DraftPlace, Findings) async throws -> Void

  init(
    _ sentence: String, check: @escaping @Sendable (DraftPlace, Findings) async throws -> Void
  ) {
    (testDescription, self.check) = (sentence, check)
  }

  /// Where the store of a new place breaks the rule.
  package func findings(in place: DraftPlace) async -> [String] {
    let found = Findings()
    do { try await check(place, found) } catch { found.add("\(error)") }
    return found.all
  }

  package static let all = reading + writing + writingAtOnce + listing + expiring + space
}

/// A moment of the rules, in whole and broken seconds.
func moment(_ seconds: TimeInterval) -> Date {
  Date(timeIntervalSince1970: 1_763_000_000 + seconds)
}
