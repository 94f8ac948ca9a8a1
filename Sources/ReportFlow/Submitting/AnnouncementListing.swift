import Announcements
import Foundation
import GRDB
import Logging

/// Finds the announcements of a query through the indexes. Rows that break a rule are skipped and
/// logged, and the list goes on to the next one.
struct AnnouncementListing {
  let database: Database
  let logger: Logger

  func announcements(matching query: AnnouncementListQuery) throws -> [Announcement] {
    let limit = query.limit ?? .max
    guard limit > 0 else { return [] }
    if query.sortBy == .distanceFromUser, let point = query.location {
      let near = try nearest(limit, to: point, within: query.range)
      guard query.range == nil, near.count < limit else { return near }
      return try near + withoutPlace(limit - near.count)
    }
    let order = query.sortBy == .createdAtAscending ? "ASC" : "DESC"
    if let point = query.location, let range = query.range {
      let places = try places(within: range, of: point).sorted {
        let newer = ($0.createdAt, $0.number) > ($1.createdAt, $1.number)
        return order == "DESC" ? newer : !newer
      }
      return try valid(places, limit)
    }
    return try valid(
      limit,
      """
      SELECT * FROM announcement WHERE closed_at IS NULL
      ORDER BY created_at \(order), number \(order)
      """)
  }

  private func withoutPlace(_ limit: Int) throws -> [Announcement] {
    try valid(
      limit,
      """
      SELECT * FROM announcement WHERE closed_at IS NULL AND latitude IS NULL
      ORDER BY created_at DESC, number DESC
      """)
  }

  /// The nearest ones by boxes that grow from 50 meters until enough lie inside their circle. What
  /// lies in the box but outside the circle does not count yet: behind the box's edge something may
  /// be nearer.
  private func nearest(
    _ limit: Int, to point: Coordinate, within range: Double?
  ) throws -> [Announcement] {
    let farthest = range ?? .infinity
    var radius = min(0.05, farthest)
    while true {
      let isLast = radius >= farthest || radius > GeoBox.halfWayAround
      let found = try places(within: radius, of: point)
      if found.count >= limit || isLast {
        let list = try valid(found.sorted(by: Place.isNearer), limit)
        if list.count >= limit || isLast { return list }
      }
      radius = min(radius * 2, farthest)
    }
  }

  /// An announcement's place, and how far it is from the reader.
  private struct Place {
    let number: Int64
    let distance: Double
    let createdAt: Int64

    /// Of equally near ones the newest is first.
    static func isNearer(_ left: Self, _ right: Self) -> Bool {
      (left.distance, -left.createdAt, -left.number)
        < (right.distance, -right.createdAt, -right.number)
    }
  }

  private func places(within radius: Double, of point: Coordinate) throws -> [Place] {
    var places = [Place]()
    for box in GeoBox.around(point, radius: radius) {
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT number, latitude, longitude, created_at FROM announcement_place
          WHERE south <= ? AND north >= ? AND west <= ? AND east >= ?
          """, arguments: [box.north, box.south, box.east, box.west])
      while let row = try rows.next() {
        guard let place = Coordinate(latitude: row[1], longitude: row[2]) else { continue }
        let distance = point.distance(to: place)
        // The last box is the whole earth, where rounding must not lose the opposite point.
        guard distance <= radius || radius > GeoBox.halfWayAround else { continue }
        places.append(Place(number: row[0], distance: distance, createdAt: row[3]))
      }
    }
    return places
  }

  private func valid(_ places: [Place], _ limit: Int) throws -> [Announcement] {
    var list = [Announcement]()
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM announcement WHERE number = ? AND closed_at IS NULL")
    for place in places where list.count < limit {
      guard let row = try Row.fetchOne(statement, arguments: [place.number]) else { continue }
      if let announcement = Announcement(row: row, logger: logger) { list.append(announcement) }
    }
    return list
  }

  private func valid(_ limit: Int, _ sql: String) throws -> [Announcement] {
    var list = [Announcement]()
    let rows = try Row.fetchCursor(database, sql: sql)
    while list.count < limit, let row = try rows.next() {
      if let announcement = Announcement(row: row, logger: logger) { list.append(announcement) }
    }
    return list
  }
}

/// A part of the earth between two parallels and two meridians, in degrees.
struct GeoBox: Equatable {
  let south, north, west, east: Double

  /// Half of the earth's circumference in kilometers; nothing is farther away.
  static let halfWayAround = Double.pi * Coordinate.earthRadius

  /// Boxes that together hold everything within `radius` kilometers: two when the circle crosses
  /// the meridian 180, all longitudes when it holds a pole.
  static func around(_ point: Coordinate, radius: Double) -> [Self] {
    let angle = radius / Coordinate.earthRadius
    // A little more than the circle: rounding must not cut its edge.
    let margin = angle * 180 / .pi * 1.000_001 + 1e-9
    let (south, north) = (point.latitude - margin, point.latitude + margin)
    guard south > -90, north < 90, angle < .pi / 2 else {
      return [Self(south: max(-90, south), north: min(90, north), west: -180, east: 180)]
    }
    let ratio = sin(angle) / cos(point.latitude * .pi / 180)
    guard ratio < 1 else { return [Self(south: south, north: north, west: -180, east: 180)] }
    let side = asin(ratio) * 180 / .pi * 1.000_001 + 1e-9
    let (west, east) = (point.longitude - side, point.longitude + side)
    if west < -180 {
      return [
        Self(south: south, north: north, west: -180, east: east),
        Self(south: south, north: north, west: west + 360, east: 180),
      ]
    }
    if east > 180 {
      return [
        Self(south: south, north: north, west: west, east: 180),
        Self(south: south, north: north, west: -180, east: east - 360),
      ]
    }
    return [Self(south: south, north: north, west: west, east: east)]
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
      details.photoSHA256 = row["photo_sha256"]
      let isClosed = (row["closed_at"] as Int64?) != nil
      guard
        let status = isClosed ? .closed : AnnouncementStatus(rawValue: row["status"] as String)
      else { throw AnnouncementError.invalid(["status"]) }
      let species = AnnouncementSpecies.word(forID: row["species"])
      try self.init(
        id: row["id"], petName: row["pet_name"] ?? species, species: species, status: status,
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
