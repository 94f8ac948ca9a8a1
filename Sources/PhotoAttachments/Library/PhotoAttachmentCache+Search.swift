package import Foundation

extension PhotoAttachmentCache {
  /// Returns the photos that match a search.
  ///
  /// - Throws: `StoreError` if records can't be read.
  package func photos(_ search: PhotoSearch) async throws(StoreError) -> [FoundPhoto] {
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
