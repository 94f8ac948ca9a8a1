import Announcements
import Logging
import PhotoAttachments
import ReportFlow
import Records

/// Finds announcements through the indexes of the database; logs rows that break a rule.
struct PostgresListing: AnnouncementListing {
  /// What an announcement is made of.
  static let names = [
    "id", "pet_name", "species", "breed", "sex", "age", "status", "photo_id", "photo_sha256",
    "latitude", "longitude", "address", "description", "contact_name", "contact_phone", "reward",
    "disappeared_on", "created_at", "updated_at", "closed_at", "hidden_reason",
  ]
  static let columns = names.joined(separator: ", ")
  private static let places = Dictionary(
    uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
  private static let isListed = "closed_at IS NULL AND photo_id IS NOT NULL"

  let t: Transaction
  let logger: Logger

  func places(
    _ codes: Range<Int64>, _ limit: Int?
  ) throws -> (count: Int, places: [NearestPlaces.Place]) {
    let rows = try t.rows(
      """
      SELECT number, created_at, latitude, longitude FROM announcement
      WHERE \(Self.isListed) AND cell IS NOT NULL AND cell >= $1 AND cell < $2 LIMIT $3
      """, [.int(codes.lowerBound), .int(codes.upperBound), limit.map { FieldValue($0) } ?? .null])
    let places = rows.compactMap { row -> NearestPlaces.Place? in
      guard let number = row.number(0), let created = row.number(1), let latitude = row.double(2),
        let longitude = row.double(3)
      else { return nil }
      return NearestPlaces.Place(
        number: number, createdAt: created, latitude: latitude, longitude: longitude)
    }
    return (rows.count, places)
  }

  /// Some of them at a time.
  func numbered(_ limit: Int, _ next: () throws -> Int64?) throws -> [Announcement] {
    var list = [Announcement]()
    while list.count < limit {
      var numbers: [Int64] = []
      while numbers.count < min(limit - list.count, 200), let number = try next() {
        numbers.append(number)
      }
      if numbers.isEmpty { break }
      let rows = try t.rows(
        """
        SELECT \(Self.columns) FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (number, place)
        JOIN announcement USING (number) ORDER BY place
        """, [.array(numbers)])
      list += rows.compactMap(announcement)
    }
    return list
  }

  func inOrder(
    _ limit: Int, newestFirst: Bool, withoutPlace: Bool, most: Int?,
    where isWanted: (Announcement) -> Bool
  ) throws -> [Announcement] {
    let order = newestFirst ? "DESC" : "ASC"
    let most = most ?? .max
    var (list, looked) = ([Announcement](), 0)
    while list.count < limit, looked < most {
      let count = min(max(limit == .max ? 1000 : limit, 16), most - looked, 1000)
      let rows = try t.rows(
        """
        SELECT \(Self.columns) FROM announcement
        WHERE \(Self.isListed) \(withoutPlace ? "AND cell IS NULL" : "")
        ORDER BY created_at \(order), number \(order) LIMIT $1 OFFSET $2
        """, [FieldValue(count), FieldValue(looked)])
      looked += rows.count
      for row in rows where list.count < limit {
        if let announcement = announcement(row), isWanted(announcement) {
          list.append(announcement)
        }
      }
      if rows.count < count { break }
    }
    return list
  }

  private func announcement(_ row: AnswerRow) -> Announcement? { Self.announcement(row, logger) }

  /// The announcement of a row of `columns`; nil, and logged, when it breaks a rule.
  static func announcement(_ row: AnswerRow, _ logger: Logger) -> Announcement? {
    Announcement(stored: { name in places[name].map { row[$0] } ?? .null }, logger: logger)
  }
}
