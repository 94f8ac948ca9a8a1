import Announcements
import Logging
import PhotoAttachments

/// Finds announcements through the indexes of the database; logs rows that break a rule.
struct AnnouncementRows {
  /// What an announcement is made of.
  static let names = Table.announcement.names(without: [
    "number", "idempotency_key", "fingerprint", "cell", "email", "microchip_number",
    "password_hash", "owner_closed_at",
  ])
  /// What of its photo belongs to it.
  private static let ofPhoto = [
    "photo_width": "blobWidth", "photo_height": "blobHeight",
  ].sorted { $0.key < $1.key }
  static let columns =
    (names
    + ofPhoto.map {
      "(SELECT \"\($0.value)\" FROM photo WHERE photo.\"id\" = photo_id) AS \($0.key)"
    }).joined(separator: ", ")
  private static let places = Dictionary(
    uniqueKeysWithValues: (names + ofPhoto.map(\.key)).enumerated().map { ($1, $0) })
  private static let isListed = "closed_at IS NULL AND photo_id IS NOT NULL"

  /// Places of a range of cells.
  static let inCells = """
    SELECT number, created_at, latitude, longitude FROM announcement
    WHERE \(isListed) AND cell IS NOT NULL AND cell >= $1 AND cell < $2 LIMIT $3
    """

  /// A page by age.
  ///
  /// - Parameter isFirst: whether it does not go on behind another one.
  static func page(newestFirst: Bool, withoutPlace: Bool, isFirst: Bool) -> String {
    let (order, behind) = newestFirst ? ("DESC", "<") : ("ASC", ">")
    return """
      SELECT \(columns), number FROM announcement
      WHERE \(isListed) \(withoutPlace ? "AND cell IS NULL" : "")
        \(isFirst ? "" : "AND (created_at, number) \(behind) ($2, $3)")
      ORDER BY created_at \(order), number \(order) LIMIT $1
      """
  }

  let t: Transaction
  let logger: Logger

  /// See `NearestPlaces.Look`.
  func places(
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

  /// The announcements with these numbers, in their order, until `limit` are found.
  func numbered(_ limit: Int, _ next: () throws -> Int64?) throws -> [Announcement] {
    var list = [Announcement]()
    while list.count < limit {
      var numbers: [Int64] = []
      while numbers.count < min(limit - list.count, 200), let number = try next() {
        numbers.append(number)
      }
      if numbers.isEmpty { break }
      let one = "SELECT \(Self.columns) FROM announcement WHERE number = $1"
      let rows = try t.ask(Query(each: numbers.map { Query(one, [.int($0)]) { $0.rows } }))
      list += rows.joined().compactMap(announcement)
    }
    return list
  }

  /// The announcements that are wanted, in the order of their age, until `limit` are found: a page at a
  /// time, each from behind the last row of the one before.
  ///
  /// - Parameters:
  ///   - withoutPlace: whether only those without a place are looked at.
  ///   - most: how many are looked at; nil looks at all.
  func inOrder(
    _ limit: Int, newestFirst: Bool, withoutPlace: Bool, most: Int?,
    where isWanted: (Announcement) -> Bool
  ) throws -> [Announcement] {
    let most = most ?? .max
    var (list, looked) = ([Announcement](), 0)
    var last: [FieldValue] = []
    while list.count < limit, looked < most {
      // Who has looked at many in vain looks at more at a time.
      let count = min(max(limit == .max ? 1000 : limit, 16, 2 * looked), most - looked, 1000)
      let rows = try t.rows(
        Self.page(newestFirst: newestFirst, withoutPlace: withoutPlace, isFirst: last.isEmpty),
        [FieldValue(count)] + last)
      looked += rows.count
      for row in rows where list.count < limit {
        if let announcement = announcement(row), isWanted(announcement) {
          list.append(announcement)
        }
      }
      guard rows.count == count, let row = rows.last else { break }
      last = [row[Self.names.firstIndex(of: "created_at") ?? 0], row[Self.places.count]]
    }
    return list
  }

  private func announcement(_ row: ResultRow) -> Announcement? { Self.announcement(row, logger) }

  /// The announcement of a row of `columns`; nil, and logged, when it breaks a rule.
  static func announcement(_ row: ResultRow, _ logger: Logger) -> Announcement? {
    Announcement(stored: { name in places[name].map { row[$0] } ?? .null }, logger: logger)
  }
}
