import Announcements
public import PhotoModel

/// A short message that disappears automatically.
public struct Toast: Sendable, Equatable {
  /// The key of its text.
  package let text: TextKey
  /// The time it stays on screen, in seconds.
  public let seconds: Double

  /// Returns the text in the reader's language.
  package func message(in words: Words) -> String { words(text) }

  /// Returns the text in a language.
  public func message(in language: Language) -> String { message(in: Words(language)) }

  /// The toast for a Continue without a photo (decision 8).
  public static let photoIsMandatory = Toast(text: "photo.mandatory", seconds: 3)
  /// The toast for a Continue with errors, which are shown beside the fields.
  public static let correctFields = Toast(text: "flow.correctFields", seconds: 3)
  /// The variant of `correctFields` for surfaces that can't highlight fields, such as a terminal. The names of the
  /// fields follow it.
  public static let correctThese = Toast(text: "flow.correctThese", seconds: 3)
  /// The toast for a copied management password.
  public static let codeCopied = Toast(text: "summary.copied", seconds: 2)
}

/// The alert for a failed submission.
public struct SubmissionAlert: Sendable, Equatable {
  /// The problem and its remedy.
  package let message: TextKey
  /// The incomplete steps, or an empty array if they aren't the problem.
  public let missingSteps: [FlowStep]

  /// Returns the problem and its remedy in a language.
  public func message(in language: Language) -> String { Words(language)(message) }
}

extension SubmissionAlert {
  /// Creates the alert for an error. Blames the network only for errors that come from it.
  package init(_ error: any Error) {
    if case SubmissionError.incomplete(let steps) = error {
      self.init(message: "submit.incomplete", missingSteps: steps)
    } else {
      self.init(message: Self.text(of: error), missingSteps: [])
    }
  }

  private static func text(of error: any Error) -> TextKey {
    switch error {
    case AnnouncementError.unavailable: "submit.network"
    case AnnouncementError.duplicateMicrochip: "failure.duplicate-microchip"
    case AnnouncementError.idempotencyMismatch: "failure.idempotency-mismatch"
    case AnnouncementError.keyTaken: "failure.key-taken"
    case SubmissionError.changedMeanwhile: "failure.changedMeanwhile"
    case StoreError.storageFull: "failure.storage-full"
    case StoreError.storage, StoreError.database, StoreError.cacheUnavailable,
      StoreError.serviceFailed:
      "failure.storage"
    case StoreError.busy, StoreError.overloaded: "failure.busy"
    case StoreError.unreachable: "failure.unreachable"
    default: "submit.other"
    }
  }
}
