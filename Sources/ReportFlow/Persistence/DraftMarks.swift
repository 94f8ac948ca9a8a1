import Foundation

/// A draft as a store keeps it.
public struct DraftRecord: Sendable, Equatable {
  /// The text that was written.
  public let content: String
  /// Another one after every write.
  public let revision: Int64

  /// A record of these parts.
  public init(content: String, revision: Int64) {
    (self.content, self.revision) = (content, revision)
  }
}

/// What a store may know of a draft's text. These keys keep their names and places in every version
/// of the format, so that no store has to know the format; in a text without them, or that isn't
/// JSON, a store finds nothing.
public struct DraftMarks: Sendable, Equatable {
  /// `$.submissionKey`: the key under which an announcement may exist.
  public var submissionKey: String?
  /// `$.submission.announcementID`: the announcement that was made of it.
  public var announcementID: String?
  /// `$.submission.isComplete`: whether it was submitted.
  public var isSubmitted = false

  /// The marks of a draft's text, for storages that cannot look into JSON themselves.
  public init(of content: String) {
    let object = try? JSONSerialization.jsonObject(with: Data(content.utf8)) as? [String: Any]
    let submission = object?["submission"] as? [String: Any]
    submissionKey = object?["submissionKey"] as? String
    announcementID = submission?["announcementID"] as? String
    isSubmitted = submission?["isComplete"] as? Bool ?? false
  }
}
