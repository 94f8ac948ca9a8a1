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
  /// Which of them; nil means all. Only stores look at it, not a server's list.
  public let filter: AnnouncementFilter?

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
    range: Double? = nil, filter: AnnouncementFilter? = nil
  ) {
    (self.limit, self.sortBy, self.location, self.range) = (limit, sortBy, location, range)
    self.filter = filter
  }

  /// All announcements, newest first.
  public static func defaultQuery(location: Coordinate?) -> Self { Self(location: location) }

  /// The five newest announcements, for the landing page.
  public static func landingPageQuery(location: Coordinate?) -> Self {
    Self(limit: 5, location: location)
  }
}
