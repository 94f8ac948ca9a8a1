import Announcements
import GRDB
import Logging
import PhotoAttachments
import ReportFlow

/// Finds announcements through the indexes of the database; logs rows that break a rule.
struct SQLiteListing: AnnouncementListing {
  let database: Database
  let logger: Logger

  func places(
    _ codes: Range<Int64>, _ limit: Int?
  ) throws -> (count: Int, places: [NearestPlaces.Place]) {
    let statement = try database.cachedStatement(
      sql: """
        SELECT number, created_at, latitude, longitude FROM announcement
        INDEXED BY announcement_listed_by_cell
        WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NOT NULL
          AND cell >= ? AND cell < ? LIMIT ?
        """)
    let rows = try Row.fetchAll(
      statement, arguments: [codes.lowerBound, codes.upperBound, limit ?? -1])
    let places = rows.compactMap {
      NearestPlaces.Place(number: $0[0], createdAt: $0[1], latitude: $0[2], longitude: $0[3])
    }
    return (rows.count, places)
  }

  func numbered(_ limit: Int, _ next: () throws -> Int64?) throws -> [Announcement] {
    var list = [Announcement]()
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM announcement WHERE number = ?")
    while list.count < limit, let number = try next() {
      guard let row = try Row.fetchOne(statement, arguments: [number]) else { continue }
      if let announcement = Announcement(row: row, logger: logger) { list.append(announcement) }
    }
    return list
  }

  func inOrder(
    _ limit: Int, newestFirst: Bool, withoutPlace: Bool, most: Int?,
    where isWanted: (Announcement) -> Bool
  ) throws -> [Announcement] {
    var list = [Announcement]()
    let order = newestFirst ? "DESC" : "ASC"
    let rows = try Row.fetchCursor(
      try database.cachedStatement(
        sql: """
          SELECT * FROM announcement WHERE closed_at IS NULL AND photo_id IS NOT NULL
          \(withoutPlace ? "AND cell IS NULL" : "")
          ORDER BY created_at \(order), number \(order) LIMIT ?
          """), arguments: [most ?? -1])
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
    self.init(stored: { FieldValue(row[$0] as DatabaseValue) }, logger: logger)
  }
}
