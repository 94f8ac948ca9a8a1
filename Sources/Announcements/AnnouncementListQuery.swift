/// The selection and the order of a list of announcements (seed 058, `AnnouncementListQuery`).
public struct AnnouncementListQuery: Sendable, Hashable {
  /// The maximum number of announcements. `nil` lists all.
  public let limit: Int?
  /// The order.
  public let sortBy: SortOption
  /// The reader's position. Without it, no distances are computed.
  public let location: Coordinate?
  /// The maximum distance in kilometers. It only has an effect together with `location`.
  public let range: Double?
  /// The search. `nil` matches all announcements.
  public let filter: AnnouncementFilter?
  /// The announcement after which the list starts. `nil` starts at the beginning.
  public let after: AnnouncementCursor?

  /// The orders of a list.
  public enum SortOption: String, Sendable, CaseIterable {
    /// Newest first.
    case createdAtDescending
    /// Oldest first.
    case createdAtAscending
    /// Nearest first, those without a place last. Requires `location`.
    case distanceFromUser
  }

  /// Creates a query.
  public init(
    limit: Int? = nil, sortBy: SortOption = .createdAtDescending, location: Coordinate? = nil,
    range: Double? = nil, filter: AnnouncementFilter? = nil, after: AnnouncementCursor? = nil
  ) {
    self.limit = limit
    self.sortBy = sortBy
    self.location = location
    self.range = range
    self.filter = filter
    self.after = after
  }

  /// `true` if an index lists the results directly, without a search.
  package var isLookUp: Bool { filter == nil && range == nil && sortBy != .distanceFromUser }

  /// Returns the same query for one page of its results.
  public func part(limit: Int?, after: AnnouncementCursor?) -> Self {
    Self(
      limit: limit, sortBy: sortBy, location: location, range: range, filter: filter, after: after)
  }

  /// All announcements, newest first.
  public static func defaultQuery(location: Coordinate?) -> Self { Self(location: location) }

  /// The five newest announcements, for the landing page.
  public static func landingPageQuery(location: Coordinate?) -> Self {
    Self(limit: 5, location: location)
  }
}
