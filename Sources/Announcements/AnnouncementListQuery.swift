/// Which announcements to list, in which order (seed 058, `AnnouncementListQuery`).
public struct AnnouncementListQuery: Sendable, Hashable {
  /// How many at most; nil means all.
  public let limit: Int?
  /// In which order.
  public let sortBy: SortOption
  /// Where the reader is; nil means no distances.
  public let location: Coordinate?
  /// How far away at most, in kilometers; looked at only together with `location`.
  public let range: Double?
  /// Which of them; nil means all.
  public let filter: AnnouncementFilter?
  /// Behind which announcement the list begins; nil means at its beginning.
  public let after: AnnouncementCursor?

  /// The orders of a list.
  public enum SortOption: String, Sendable, CaseIterable {
    /// Newest first.
    case createdAtDescending
    /// Oldest first.
    case createdAtAscending
    /// Nearest first, those without a place last; needs a location.
    case distanceFromUser
  }

  /// A query of these parts.
  public init(
    limit: Int? = nil, sortBy: SortOption = .createdAtDescending, location: Coordinate? = nil,
    range: Double? = nil, filter: AnnouncementFilter? = nil, after: AnnouncementCursor? = nil
  ) {
    (self.limit, self.sortBy, self.location, self.range) = (limit, sortBy, location, range)
    self.filter = filter
    self.after = after
  }

  /// Whether it is read from an index as it is, without a search.
  package var isLookUp: Bool { filter == nil && range == nil && sortBy != .distanceFromUser }

  /// The same list, so many of it from behind another announcement.
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
