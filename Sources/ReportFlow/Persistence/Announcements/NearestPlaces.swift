package import Announcements

/// An iterator over the places of listed announcements by distance from a point, nearest first. Equally distant places
/// are ordered newest first.
///
/// It reads only the cells on the way. A heap yields the nearest cell or place, and a cell with more than a few places
/// is replaced by its quarters. The cost therefore depends on the number of requested places and not on the number of
/// stored ones. Only places within the same meter are always read together.
package struct NearestPlaces {
  package struct Place {
    /// The announcement's number in the store.
    package let number: Int64
    /// The creation time in milliseconds since 1970.
    package let createdAt: Int64
    let coordinate: Coordinate

    /// Creates a place, or returns `nil` if the coordinates are invalid.
    package init?(number: Int64, createdAt: Int64, latitude: Double, longitude: Double) {
      guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
        return nil
      }
      self.number = number
      self.createdAt = createdAt
      self.coordinate = coordinate
    }
  }

  /// Reads places with these codes from listed announcements, at most `limit`. Returns the number of rows that were
  /// read and the places that are valid.
  package typealias Look =
    (_ codes: Range<Int64>, _ limit: Int?) throws -> (count: Int, places: [Place])

  private enum Item {
    case cell(GeoCell)
    case place(Place)
  }

  private let point: Coordinate
  private let farthest: Double
  private let start: Entry?
  private let look: Look
  private var heap = Heap()

  /// Creates an iterator over places at most `range` kilometers from `point`, or over all places if `range` is `nil`.
  ///
  /// - Parameter after: the cursor to start after, or `nil` to start with the nearest place.
  package init(
    from point: Coordinate, within range: Double?, after: AnnouncementCursor? = nil,
    look: @escaping Look
  ) {
    self.point = point
    farthest = range ?? .infinity
    self.look = look
    start = after.flatMap { after in
      let place = Place(
        number: after.number, createdAt: after.createdAt, latitude: point.latitude,
        longitude: point.longitude)
      return place.flatMap { place in
        after.distance.map { Entry(distance: $0, item: .place(place)) }
      }
    }
    heap.insert(Entry(distance: 0, item: .cell(.earth)))
  }

  package mutating func next() throws -> Place? {
    while let entry = heap.removeFirst(), entry.distance <= farthest {
      switch entry.item {
      case .place(let place) where start?.isBefore(entry) ?? true: return place
      case .place: continue
      case .cell(let cell): try open(cell)
      }
    }
    return nil
  }

  private mutating func open(_ cell: GeoCell) throws {
    let few = 16
    let isDeepest = cell.level == GeoCell.deepest
    let found = try look(cell.codes, isDeepest ? nil : few + 1)
    guard isDeepest || found.count <= few else {
      // Skip quarters that are entirely nearer than the start, because their places were returned before.
      for quarter in cell.quarters
      where start.map({ $0.distance <= quarter.farthest(from: point) }) ?? true {
        heap.insert(Entry(distance: quarter.distance(from: point), item: .cell(quarter)))
      }
      return
    }
    for place in found.places {
      heap.insert(
        Entry(distance: point.distance(to: place.coordinate), item: .place(place)))
    }
  }

  private struct Entry {
    let distance: Double
    let item: Item

    /// Cells come before places at the same distance, because they may contain newer ones.
    func isBefore(_ other: Self) -> Bool {
      if distance != other.distance { return distance < other.distance }
      switch (item, other.item) {
      case (.cell, .place): return true
      case (.place(let left), .place(let right)):
        return (left.createdAt, left.number) > (right.createdAt, right.number)
      default: return false
      }
    }
  }

  /// A binary heap with the first entry on top.
  private struct Heap {
    private var entries: [Entry] = []

    mutating func insert(_ entry: Entry) {
      entries.append(entry)
      var child = entries.count - 1
      while child > 0, entries[child].isBefore(entries[(child - 1) / 2]) {
        entries.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
    }

    mutating func removeFirst() -> Entry? {
      guard let first = entries.first, let last = entries.popLast() else { return nil }
      guard !entries.isEmpty else { return first }
      entries[0] = last
      var parent = 0
      while true {
        let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < entries.count }
        guard let best = children.min(by: { entries[$0].isBefore(entries[$1]) }),
          entries[best].isBefore(entries[parent])
        else { return first }
        entries.swapAt(best, parent)
        parent = best
      }
    }
  }
}
