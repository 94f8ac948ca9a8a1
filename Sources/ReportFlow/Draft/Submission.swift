import Announcements

/// The progress of a draft's submission. It's saved before and after each step so that the submission can resume
/// (decision 25).
package struct Submission: Sendable, Equatable, Codable {
  /// The id of the announcement, or `nil` until its creation is confirmed.
  package var announcementID: String?
  /// The management password of the announcement. It's chosen before the announcement is created. If the server chooses
  /// its own, that one replaces it. `nil` once it was shown.
  package var managementPassword: String?
  /// `true` if the photo has arrived, which completes the submission.
  package var isComplete: Bool

  /// The credentials for withdrawing the announcement, or `nil` if the id or password is unknown.
  var credentials: AnnouncementCredentials? {
    guard let id = announcementID, let password = managementPassword else { return nil }
    return AnnouncementCredentials(id: id, managementPassword: password)
  }

  /// Creates a submission from these values.
  package init(announcementID: String?, managementPassword: String?, isComplete: Bool) {
    self.announcementID = announcementID
    self.managementPassword = managementPassword
    self.isComplete = isComplete
  }

  /// Decodes a stored submission. A missing `isComplete` is read as `false`.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    announcementID = try values.decodeIfPresent(String.self, forKey: .announcementID)
    managementPassword = try values.decodeIfPresent(String.self, forKey: .managementPassword)
    isComplete = try values.decodeIfPresent(Bool.self, forKey: .isComplete) ?? false
  }
}
