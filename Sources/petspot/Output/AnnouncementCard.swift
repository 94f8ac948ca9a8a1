import Announcements
import Foundation
import ReportFlow
import PhotoIngestion

extension AnnouncementCard {
  /// The address of the photo, or the command that draws it if it is on this machine.
  private var photoText: String? {
    let shown =
      announcement.details.photoID == nil
      ? nil : "petspot announcements show \(announcement.id)"
    return (photoURL?.absoluteString ?? shown).map { "\(words("announcement.photo")): \($0)" }
  }

  /// Returns the card as text. Values from other people are escaped, so that they can't control the terminal.
  func card(on terminal: Terminal) -> String {
    func line(_ parts: [String?]) -> String? {
      let parts = parts.compactMap { $0 }.filter { !$0.isEmpty }.map(ReadableText.escaped)
      return parts.isEmpty ? nil : "  " + parts.joined(separator: " · ")
    }
    let details = announcement.details
    let lines = [
      terminal.bold(ReadableText.escaped(title)) + "  " + statusText,
      line([
        speciesText, breedText, details.sex?.displayName(in: words),
        details.age.map { words("age.years", count: $0) }, dateText,
      ]),
      line([seenText, distanceText]),
      line([announcement.description]),
      line([rewardText]),
      line([photoText]),
      line([announcement.contactName, announcement.contactPhone]),
      terminal.dim("  " + ReadableText.escaped(announcement.id)),
    ]
    return lines.compactMap { $0 }.joined(separator: "\n")
  }
}
