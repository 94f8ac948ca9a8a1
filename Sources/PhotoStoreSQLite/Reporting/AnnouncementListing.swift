import Announcements
import Foundation
import GRDB
import Logging
import PhotoAttachments

/// Finds the announcements of a query through the indexes: open ones that have their photo. Rows that break a rule are skipped and
/// logged, and the list goes on to the next one.
struct AnnouncementListing {
  let database: Database
  let logger: Logger

  func announcements(matching query: AnnouncementListQuery) throws -> [Announcement] {
    let limit = query.limit ?? .max
    guard limit > 0 else { return [] }
    if query.sortBy == .distanceFromUser, let point = query.location {
      var places = NearestPlaces(from: point, within: query.range, in: database)
      let near = try valid(limit) { try places.next()?.number }
      guard query.range == nil, near.count < limit else { return near }
      return try near + withoutPlace(limit - near.count)
    }
    let isDescending = query.sortBy != .createdAtAscending
    let order = isDescending ? "DESC" : "ASC"
    let inOrder = """
      SELECT * FROM announcement WHERE closed_at IS NULL AND photo_id IS NOT NULL
      ORDER BY created_at \(order), number \(order)
      """
    if let point = query.location, let range = query.range {
      // In a crowd the first thousand hold enough near ones; elsewhere there are few near ones.
      let list = try valid(limit, inOrder + " LIMIT 1000") {
        ($0.distance(from: point) ?? .infinity) <= range
      }
      if list.count == limit { return list }
      var places = NearestPlaces(from: point, within: range, in: database)
      var found = [NearestPlaces.Place]()
      while let place = try places.next() { found.append(place) }
      found.sort {
        let isNewer = ($0.createdAt, $0.number) > ($1.createdAt, $1.number)
        return isDescending ? isNewer : !isNewer
      }
      var numbers = found.lazy.map(\.number).makeIterator()
      return try valid(limit) { numbers.next() }
    }
    return try valid(limit, inOrder)
  }

  private func withoutPlace(_ limit: Int) throws -> [Announcement] {
    try valid(
      limit,
      """
      SELECT * FROM announcement
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NULL
      ORDER BY created_at DESC, number DESC
      """)
  }

  private func valid(_ limit: Int, _ next: () throws -> Int64?) throws -> [Announcement] {
    var list = [Announcement]()
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM announcement WHERE number = ?")
    while list.count < limit, let number = try next() {
      guard let row = try Row.fetchOne(statement, arguments: [number]) else { continue }
      if let announcement = Announcement(row: row, logger: logger) { list.append(announcement) }
    }
    return list
  }

  private func valid(
    _ limit: Int, _ sql: String, where isWanted: (Announcement) -> Bool = { _ in true }
  ) throws -> [Announcement] {
    var list = [Announcement]()
    let rows = try Row.fetchCursor(try database.cachedStatement(sql: sql))
    while list.count < limit, let row = try rows.next() {
      guard let announcement = Announcement(row: row, logger: logger) else { continue }
      if isWanted(announcement) { list.append(announcement) }
    }
    return list
  }
}

extension Announcement {
  /// The announcement of a stored row; nil, and logged, when it breaks a rule (decision 27).
  init?(row: Row, logger: Logger) {
    do {
      var details = Details()
      details.speciesID = row["species"]
      details.breed = row["breed"]
      details.sex = (row["sex"] as String?).flatMap(Gender.init)
      details.age = row["age"]
      details.dateOfDisappearance = (row["disappeared_on"] as String?).flatMap { CalendarDay($0) }
      details.reward = row["reward"]
      details.photoSHA256 = row["photo_sha256"]
      details.photoID = (row["photo_id"] as String?).flatMap(UUID.init(uuidString:))
      let name: String? = row["pet_name"]
      details.petNameGiven = name != nil
      let isClosed = (row["closed_at"] as Int64?) != nil
      guard
        let status = isClosed ? .closed : AnnouncementStatus(rawValue: row["status"] as String)
      else { throw AnnouncementError.invalid(["status"]) }
      let species = AnnouncementSpecies.word(forID: row["species"])
      try self.init(
        id: row["id"], petName: name ?? AnnouncementSpecies.petName(forID: row["species"]),
        species: species, status: status,
        location: try Self.location(row), description: row["description"],
        contactName: row["contact_name"], contactPhone: row["contact_phone"],
        createdAt: Date(milliseconds: row["created_at"]),
        updatedAt: Date(milliseconds: row["updated_at"]), details: details)
    } catch {
      logger.warning(
        "announcement skipped",
        metadata: ["id": "\(row["id"] as String? ?? "")", "error": "\(error)"])
      return nil
    }
  }

  private static func location(_ row: Row) throws -> Location? {
    let (latitude, longitude) = (row["latitude"] as Double?, row["longitude"] as Double?)
    if latitude == nil && longitude == nil { return nil }
    guard let latitude, let longitude,
      let place = Coordinate(latitude: latitude, longitude: longitude),
      let location = Location(place, address: row["address"])
    else { throw AnnouncementError.invalid(["location"]) }
    return location
  }
}
