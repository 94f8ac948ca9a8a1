import Announcements
import Foundation
import Logging
import PhotoAttachments
import ReportFlow

/// A card of a list (seed 058).
struct ListedView {
  let address, testID, title, species, day, date, status, statusName: String
  let breed, sex, near, distance, reward: String?
  /// Its latitude and longitude, from which a browser reckons the distance.
  let place: String?
  let picture: PictureView?

  init(_ announcement: Announcement, reader: Coordinate?, in words: Words) {
    let card = AnnouncementCard(announcement, readerLocation: reader, words: words)
    (address, testID) = ("/announcements/" + announcement.id, card.accessibilityID)
    (title, species, breed) = (card.title, card.speciesText, card.tellingBreedText)
    (day, date, status) = (card.dateText, card.friendlyDateText(), card.statusText)
    (near, sex) = (card.nearText, announcement.details.sex?.displayName(in: words).lowercased())
    place = announcement.location?.coordinate.map { "\($0.latitude) \($0.longitude)" }
    statusName = announcement.status.rawValue.lowercased()
    (distance, reward) = (card.distanceText, card.rewardText)
    picture = PictureView(announcement, .card, text: words("photo.of", ["name": card.title]))
  }
}

extension Site {
  /// The list that a page shows; nil, and logged, when it cannot be read.
  ///
  /// - Throws: a refusal of the request; what says that a store can't be reached.
  func shown(
    _ query: AnnouncementListQuery, for context: RequestContext
  ) async throws -> AnnouncementList? {
    do { return try await list(query, for: context) } catch let refusal as ErrorResponse {
      throw refusal
    } catch let left as CancellationError {
      throw left
    } catch let error where ErrorResponse(cause: error)?.unreachable != nil {
      throw error
    } catch {
      context.logger.error("list not read", metadata: ["error": "\(error)"])
      return nil
    }
  }
}

/// Where the reader of a list is, as the address says it; what is no place counts for nothing.
struct ReaderLocation {
  let coordinate: Coordinate?
  /// The same rounded to two decimals, about a kilometer, as addresses say it; empty without one.
  let latitude, longitude: String
  /// Whether the address spells it in another way than `latitude` and `longitude` do.
  let isUnrounded: Bool

  /// The same as a part of an address, to go on with; empty without one.
  var query: String { coordinate == nil ? "" : "lat=\(latitude)&lng=\(longitude)" }

  init(_ query: [String: String]) {
    let given = (query["lat"] ?? "", query["lng"] ?? "")
    let place = CoordinateRules.coordinate(latitude: given.0, longitude: given.1)
    coordinate = place
    latitude = place.map { Self.rounded($0.latitude) } ?? ""
    longitude = place.map { Self.rounded($0.longitude) } ?? ""
    isUnrounded = place != nil && given != (latitude, longitude)
  }

  private static func rounded(_ degrees: Double) -> String { CoordinateText.twoDecimals(degrees) }
}
