import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension ImportSummary {
  /// The totals for people, in the language that the command speaks.
  func sentence(_ formatter: ImportFormatter) -> String {
    L10n.words(.importTotals(self, formatter))
  }

}

/// How often something was not taken, by what kept it.
struct ImportCauses {
  private var skipped: [String: Int] = [:]
  private var failed: [String: Int] = [:]

  mutating func add(_ file: ImportedFile) {
    switch file.outcome {
    case .skipped(let refusal): skipped[refusal.cause, default: 0] += 1
    case .failed(let refusal): failed[refusal.cause, default: 0] += 1
    default: break
    }
  }

  /// A line a cause, the most frequent first, and where to see every file; empty when all was taken.
  ///
  /// - Parameter report: the file in which they stand already.
  func lines(report: FilePath?) -> [String] {
    let lines =
      Self.block(L10n.words(.causesSkipped), skipped)
      + Self.block(L10n.words(.causesFailed), failed)
    guard !lines.isEmpty else { return [] }
    let way = L10n.words(.causesListing)
    let there = report.map { DisplayText.path($0) }.map {
      L10n.words(.causesListedIn(place: $0))
    }
    return lines + [there ?? way]
  }

  private static func block(_ title: String, _ causes: [String: Int]) -> [String] {
    guard !causes.isEmpty else { return [] }
    let sorted = causes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return [title]
      + sorted.map { cause, count in
        let number = Amounts.number(count)
        return String(repeating: " ", count: max(1, 8 - number.count)) + number + "  "
          + ReadableText.escaped(cause)
      }
  }
}
