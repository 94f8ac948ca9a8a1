package import Foundation

/// How far a run is.
package struct RunFacts: Sendable, Equatable {
  /// What is being done about it.
  package enum State: String, Sendable {
    /// Its inputs are written down; no worker takes them yet.
    case listing
    /// Workers take its parts.
    case working
    /// Every input is counted.
    case done
  }

  package var id: Int64
  package var order: ImportOrder
  package var state: State
  /// Inputs, and bytes of the files among them.
  package var inputs: ImportSurvey
  package var parts: Int
  package var partsDone: Int
  /// The five outcomes and the bytes, each input once; `seconds` since it began, by the database.
  package var totals: ImportSummary
  package var begun: Date
  package var ended: Date?
  package var workers: [Worker]

  package struct Worker: Sendable, Equatable {
    /// Machine and process.
    package var name: String
    package var part: Int64
    /// Whether it renewed its claim in time.
    package var isAlive: Bool
  }
}

/// What became of an input of a run, as it is on record.
package struct RunResult: Sendable, Equatable {
  package var place: Int64
  package var path: [UInt8]
  package var sizeBytes: Int
  package var outcome: Outcome
  /// The file as it was listed; nil for what was refused then.
  package var file: ListedEntry.File?

  /// The five outcomes; a photo's record is nil when it was forgotten meanwhile.
  package enum Outcome: Sendable, Equatable {
    case imported(UUID, SealedRecord?)
    case duplicate(of: UUID, ImportOutcome.DuplicateTier)
    case unchanged(UUID)
    case refused(ImportRefusal)
  }
}
