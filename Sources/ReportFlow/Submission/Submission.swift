import Announcements

/// How far the submission of a draft got; saved before and after each of its steps, so that it can
/// resume (decision 25).
public struct Submission: Sendable, Equatable, Codable {
  /// The announcement that exists; nil while it is not known whether it was made.
  public var announcementID: String?
  /// The secret of the announcement: decided before it is made, unless a server decides, whose
  /// answer then takes its place; nil once it was shown.
  public var managementPassword: String?
  /// Whether the photo arrived, which completes the submission.
  public var isComplete: Bool

  /// What takes the announcement back; nil while its id or its password is not known.
  var credentials: AnnouncementCredentials? {
    guard let id = announcementID, let password = managementPassword else { return nil }
    return AnnouncementCredentials(id: id, managementPassword: password)
  }

  /// A submission of these values.
  public init(announcementID: String?, managementPassword: String?, isComplete: Bool) {
    (self.announcementID, self.managementPassword) = (announcementID, managementPassword)
    self.isComplete = isComplete
  }

  /// Reads a stored submission; one that does not say that it is complete is not.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    announcementID = try values.decodeIfPresent(String.self, forKey: .announcementID)
    managementPassword = try values.decodeIfPresent(String.self, forKey: .managementPassword)
    isComplete = try values.decodeIfPresent(Bool.self, forKey: .isComplete) ?? false
  }
}
