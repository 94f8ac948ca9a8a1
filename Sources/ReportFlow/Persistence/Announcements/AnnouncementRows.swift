import Announcements
import Logging
import PhotoAttachments

/// Reads announcements through the database's indexes and logs invalid rows.
struct AnnouncementRows {
  /// The columns of `announcement` that an `Announcement` is created from.
  static let names = Table.announcement.names(without: [
    "number", "idempotency_key", "fingerprint", "cell", "search", "email", "microchip_number",
    "password_hash", "owner_closed_at",
  ])
  /// The aliases and columns of the photo's size.
  private static let ofPhoto = [
    "photo_width": "blobWidth", "photo_height": "blobHeight",
  ].sorted { $0.key < $1.key }
  static let columns =
    (names
    + ofPhoto.map {
      "(SELECT \"\($0.value)\" FROM photo WHERE photo.\"id\" = photo_id) AS \($0.key)"
    }).joined(separator: ", ")
  private static let columnIndexes = Dictionary(
    uniqueKeysWithValues: (names + ofPhoto.map(\.key)).enumerated().map { ($1, $0) })
  static let isListed = "closed_at IS NULL AND photo_id IS NOT NULL"

  /// SQL that selects the places of listed announcements in a range of cells (`GeoCell.codes`).
  static let inCells = """
    SELECT number, created_at, latitude, longitude FROM announcement
    WHERE \(isListed) AND cell IS NOT NULL AND cell >= $1 AND cell < $2 LIMIT $3
    """

  /// Returns the SQL for one page of the list by age.
  ///
  /// - Parameter isFirst: `true` for the first page, `false` for a page after a cursor.
  static func page(newestFirst: Bool, withoutPlace: Bool, isFirst: Bool) -> String {
    "SELECT \(columns), number "
      + byAge(newestFirst: newestFirst, withoutPlace: withoutPlace, isFirst: isFirst) + " LIMIT $1"
  }

  /// Returns the SQL clauses for listed rows by age. Later pages start after the time `$2` and the number `$3`.
  static func byAge(newestFirst: Bool, withoutPlace: Bool, isFirst: Bool) -> String {
    let behind = newestFirst ? "<" : ">"
    return """
      FROM announcement
      WHERE \(isListed) \(withoutPlace ? "AND cell IS NULL" : "")
        \(isFirst ? "" : "AND (created_at, number) \(behind) ($2, $3)")
      \(order(newestFirst: newestFirst))
      """
  }

  static func order(newestFirst: Bool) -> String {
    let order = newestFirst ? "DESC" : "ASC"
    return "ORDER BY created_at \(order), number \(order)"
  }

  let t: Transaction
  let logger: Logger
  /// Returns `true` if no one waits for the result any more.
  var isCancelled: () -> Bool = { false }

  /// Reads the places in a range of cells. See `NearestPlaces.Look`.
  func placesInCells(
    _ codes: Range<Int64>, _ limit: Int?
  ) throws -> (count: Int, places: [NearestPlaces.Place]) {
    let rows = try t.rows(
      Self.inCells,
      [.int(codes.lowerBound), .int(codes.upperBound), FieldValue(limit ?? 1_000_000_000)])
    let places = rows.compactMap { row -> NearestPlaces.Place? in
      guard let number = row.number(0), let created = row.number(1), let latitude = row.double(2),
        let longitude = row.double(3)
      else { return nil }
      return NearestPlaces.Place(
        number: number, createdAt: created, latitude: latitude, longitude: longitude)
    }
    return (rows.count, places)
  }

  func announcement(_ row: ResultRow) -> Announcement? { Self.announcement(row, logger) }

  /// Returns the list position of a row that contains `columns` and the number.
  static func cursor(_ row: ResultRow, distance: Double?) -> AnnouncementCursor? {
    guard let created = row.number(createdColumn), let number = row.number(columnIndexes.count)
    else {
      return nil
    }
    return AnnouncementCursor(distance: distance, createdAt: created, number: number)
  }

  private static let createdColumn = names.firstIndex(of: "created_at") ?? 0

  /// Returns the announcement of a row that contains `columns`, or `nil` if the row is invalid, which is logged.
  static func announcement(_ row: ResultRow, _ logger: Logger) -> Announcement? {
    Announcement(stored: { name in columnIndexes[name].map { row[$0] } ?? .null }, logger: logger)
  }
}
