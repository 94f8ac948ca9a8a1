package import Foundation

extension PhotoAttachmentCache {
  /// Returns the photos that match a search.
  ///
  /// - Throws: `StoreError` if records can't be read.
  package func photos(_ search: PhotoSearch) async throws(StoreError) -> [FoundPhoto] {
    try await threads.finish { [self] in
      try catalog.find(search).map { found in
        FoundPhoto(photo: try metadata(of: found.record), folder: found.folder)
      }
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
      return (
        months.map { ($0.text(0), Int($0.number(1) ?? 0)) },
        folders.map { ($0.text(0) ?? "", Int($0.number(1) ?? 0)) }
      )
    }
  }

  /// Returns groups of library photos that look alike. Each has the first stored photo, and those whose perceptual
  /// hashes differ from its hash in at most `distance` bits. Blocks.
  package func lookAlikes(distance: Int) throws(StoreError) -> [[(id: UUID, distance: Int)]] {
    var groups: [[(id: UUID, distance: Int)]] = []
    var firsts = HashIndex(distance: distance)
    for (id, hash) in try catalog.perceptualHashes() {
      if let (group, bits) = firsts.find(hash) {
        groups[group].append((id, bits))
      } else {
        firsts.append(hash)
        groups.append([(id, 0)])
      }
    }
    return groups.filter { $0.count > 1 }
  }

  /// Returns a photo with its folder; `nil` if it isn't on record. Blocks.
  package func findPhoto(_ id: UUID) throws(StoreError) -> FoundPhoto? {
    guard let record = try catalog.photo(id: id.uuidString) else { return nil }
    return FoundPhoto(photo: try metadata(of: record), folder: try folder(of: id))
  }

  /// Returns the folder in which an import found a photo (see `FoundPhoto.folder`). Blocks.
  package func folder(of photo: UUID) throws(StoreError) -> String? {
    try catalog.folder(of: photo.uuidString)
  }
}
