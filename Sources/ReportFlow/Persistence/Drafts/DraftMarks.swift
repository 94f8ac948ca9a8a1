import Foundation

/// A draft as a store keeps it.
package struct DraftRecord: Sendable, Equatable {
  /// The encoded draft.
  package let content: String
  /// The revision. Every write changes it.
  package let revision: Int64

  /// Creates a record from these parts.
  package init(content: String, revision: Int64) {
    self.content = content
    self.revision = revision
  }
}

/// The fields of a draft's text that stores read. Their keys keep their names and places in every version of the
/// format, so that stores don't depend on the format. A text without these keys, or one that isn't JSON, has no marks.
package struct DraftMarks: Sendable, Equatable {
  /// `$.submissionKey`: the key of an announcement that may exist.
  package var submissionKey: String?
  /// `$.submission.announcementID`: the id of the announcement that was created from the draft.
  package var announcementID: String?
  /// `$.submission.isComplete`: `true` if the draft was submitted.
  package var isSubmitted = false

  /// Reads the marks from a draft's text, for databases that can't read JSON.
  package init(of content: String) {
    let object = try? JSONSerialization.jsonObject(with: Data(content.utf8)) as? [String: Any]
    let submission = object?["submission"] as? [String: Any]
    submissionKey = object?["submissionKey"] as? String
    announcementID = submission?["announcementID"] as? String
    isSubmitted = submission?["isComplete"] as? Bool ?? false
  }
}
