package import Foundation

/// The progress of an import that many workers share, for display.
package struct RunFacts: Sendable, Equatable {
  package enum State: String, Sendable {
    /// Inputs are being listed. Workers can't claim parts yet.
    case listing
    /// Workers are importing the parts.
    case working
    /// Every input has been counted.
    case done
  }

  package var id: Int64
  package var order: ImportOrder
  package var state: State
  /// The number of inputs and the total size of their files in bytes.
  package var inputs: ImportSurvey
  package var parts: Int
  package var partsDone: Int
  /// The number of inputs by outcome and of bytes, counting each input once. `seconds` is the time since the start by
  /// the database's clock.
  package var totals: ImportSummary
  package var begun: Date
  package var ended: Date?
  package var workers: [Worker]

  package struct Worker: Sendable, Equatable {
    /// The machine and process.
    package var name: String
    package var part: Int64
    /// `true` if the worker renewed its claim in time.
    package var isAlive: Bool
  }
}

/// The recorded outcome of an input.
package struct RunResult: Sendable, Equatable {
  package var place: Int64
  package var path: [UInt8]
  package var sizeBytes: Int
  package var outcome: Outcome
  /// The file as it was listed. `nil` if the input was refused during listing.
  package var file: ListedEntry.File?

  /// The outcomes, where `refused` covers skipped and failed inputs. The record of an imported photo is `nil` if the
  /// photo has been forgotten since.
  package enum Outcome: Sendable, Equatable {
    case imported(UUID, SealedRecord?)
    case duplicate(of: UUID, ImportOutcome.DuplicateTier)
    case unchanged(UUID)
    case refused(ImportRefusal)
  }
}
