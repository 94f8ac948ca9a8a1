public import Announcements
public import Foundation
import PhotoModel

extension AnnouncementError: LocalizedError {
  /// The sentence for a person, in the language of this process's environment.
  public var errorDescription: String? { message(in: .ofProcess, now: Date()) }
}
