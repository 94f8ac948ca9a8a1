package import Foundation

/// The photos that match a query. Only a part of their records is in memory at a time.
public struct MatchingPhotos: AsyncSequence, Sendable {
  /// A photo.
  public typealias Element = PhotoAttachmentMetadata
  /// The error of reading records.
  public typealias Failure = StoreError

  fileprivate let cache: PhotoAttachmentCache
  fileprivate let query: PhotoQuery

  /// Begins with the first photo.
  public func makeAsyncIterator() -> Iterator { Iterator(cache: cache, query: query) }

  /// The position in the sequence.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let cache: PhotoAttachmentCache
    fileprivate let query: PhotoQuery
    /// The IDs of the photos whose records were not read yet. `nil` before the first one.
    private var ids: ArraySlice<String>?
    private var page: ArraySlice<PhotoAttachmentMetadata> = []

    fileprivate init(cache: PhotoAttachmentCache, query: PhotoQuery) {
      self.cache = cache
      self.query = query
    }

    /// Returns the next photo, or `nil` after the last one.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> PhotoAttachmentMetadata? {
      while page.isEmpty {
        let rest: ArraySlice<String> =
          if let ids { ids } else { try await cache.ids(matching: query)[...] }
        let some = rest.prefix(200)
        ids = rest.dropFirst(some.count)
        if some.isEmpty { return nil }
        page = try await cache.photos(ids: Array(some))[...]
      }
      return page.popFirst()
    }
  }
}

extension PhotoAttachmentCache {
  /// Returns the photos that match a query, by default all of them, newest first.
  ///
  /// Skips photos that are recorded or removed while it is being read.
  public func photos(matching query: PhotoQuery = .init()) -> MatchingPhotos {
    MatchingPhotos(cache: self, query: query)
  }

  fileprivate func ids(matching query: PhotoQuery) async throws(StoreError) -> [String] {
    try await threads.finish { [self] in try catalog.ids(matching: query, now: now()) }
  }

  fileprivate func photos(ids: [String]) async throws(StoreError) -> [PhotoAttachmentMetadata] {
    try await threads.finish { [self] in try catalog.records(ids).map(metadata) }
  }

  /// Returns the photos that match a search.
  ///
  /// - Throws: `StoreError` if records can't be read.
  package func photos(_ search: PhotoQuery) async throws(StoreError) -> [FoundPhoto] {
    try await threads.finish { [self] in
      try catalog.find(search, now: now()).map(found)
    }
  }

  /// Returns the number of library photos that were taken in each month (`YYYY-MM`, newest first, `nil` without a
  /// date), and the number from each folder.
  package func libraryCounts() async throws(StoreError) -> (
    months: [(month: String?, count: Int)], folders: [(folder: String, count: Int)]
  ) {
    try await threads.finish { [catalog] in
      let months = try catalog.database.rows(
        """
        SELECT substr(taken, 1, 7) AS month, count(*) FROM library_photo
        GROUP BY month ORDER BY month DESC NULLS LAST
        """)
      let folders = try catalog.database.rows(
        "SELECT folder, count(*) FROM library_photo GROUP BY folder ORDER BY folder LIMIT 1000")
      let copies = try catalog.database.rows(
        """
        SELECT library_copy.folder, count(DISTINCT library_copy.photo) FROM library_copy
        JOIN library_photo ON library_photo.photo = library_copy.photo
        WHERE library_copy.folder <> library_photo.folder
        GROUP BY library_copy.folder ORDER BY library_copy.folder LIMIT 1000
        """)
      let counts = (folders + copies).reduce(into: [String: Int]()) { counts, row in
        counts[row.text(0) ?? "", default: 0] += Int(row.number(1) ?? 0)
      }
      return (
        months.map { ($0.text(0), Int($0.number(1) ?? 0)) },
        counts.sorted { $0.key < $1.key }.prefix(1000).map { ($0.key, $0.value) }
      )
    }
  }

  /// Returns groups of library photos that look alike. All photos of a group have the same shape, and any two of their
  /// perceptual hashes differ in at most `distance` bits. The numbers are the distances to the first stored one. Blocks.
  package func lookAlikes(
    distance: Int = PhotoAttachmentCache.lookAlikeDistance
  ) throws(StoreError) -> [[(id: UUID, distance: Int)]] {
    struct Group {
      let shape: Double
      var hashes: [Int64] = []
      var members: [(id: UUID, distance: Int)] = []
    }
    var groups: [Group] = []
    var firsts = HashIndex(distance: distance)
    for (id, hash, width, height) in try catalog.perceptualHashes() {
      let shape = Double(width) / Double(height)
      let found = firsts.find(hash) { number in
        abs(groups[number].shape - shape) <= 0.03 * shape
          // So many members are enough to see whether a photo is like all of them.
          && groups[number].hashes.prefix(64).allSatisfy { ($0 ^ hash).nonzeroBitCount <= distance }
      }
      if let (group, bits) = found {
        groups[group].hashes.append(hash)
        groups[group].members.append((id, bits))
      } else {
        firsts.append(hash)
        groups.append(Group(shape: shape, hashes: [hash], members: [(id, 0)]))
      }
    }
    return groups.map(\.members).filter { $0.count > 1 }
  }

  /// The distance within a group of look-alikes. Between photos of different scenes, it is rarely this small.
  package static let lookAlikeDistance = 6

  /// Returns a photo with its places and its date; `nil` if it isn't on record. Blocks.
  package func findPhoto(_ id: UUID) throws(StoreError) -> FoundPhoto? {
    try catalog.find(id: id.uuidString, now: now()).map(found)
  }

  private func found(_ found: FoundRecord) throws(StoreError) -> FoundPhoto {
    FoundPhoto(photo: try metadata(of: found.record), places: found.places, taken: found.taken)
  }
}
