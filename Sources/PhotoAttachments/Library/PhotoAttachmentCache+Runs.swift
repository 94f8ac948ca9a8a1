import Foundation

extension PhotoAttachmentCache {
  /// Returns one import, or all imports that still have photos in the library, newest first. Blocks.
  package func libraryRuns(_ id: Int64? = nil) throws(StoreError) -> [LibraryRun.Facts] {
    try catalog.database.rows(
      """
      SELECT id, names, begun_at, count(photo)
      FROM library_run JOIN library_photo ON run = id
      WHERE CAST($1 AS bigint) IS NULL OR id = $1 GROUP BY id, names, begun_at ORDER BY id DESC
      """, [id.map(FieldValue.int) ?? .null]
    ).compactMap { row in
      guard let id = row.number(0), let begun = row.number(2), let photos = row.number(3) else {
        return nil
      }
      return LibraryRun.Facts(
        id: id, names: (row.text(1) ?? "").split(separator: "\n").map(String.init),
        begun: Date(timeIntervalSince1970: Double(begun) / 1000), photos: Int(photos))
    }
  }

  /// Returns the photos of an import that are the only copies. Blocks.
  package func onlyCopies(run: Int64) throws(StoreError) -> [OnlyCopy] {
    let rows = try catalog.database.rows(
      "SELECT photo FROM library_photo WHERE run = $1", [.int(run)])
    return try catalog.onlyCopies(among: rows.compactMap { $0.id(0) })
  }

  /// Forgets the photos that an import added (`forget(asset:)`), in batches of 100. If it is interrupted, call it again
  /// to continue. Call `onlyCopies(run:)` first.
  ///
  /// - Parameter onlyCopies: `true` also forgets photos that are the only copy.
  /// - Returns: the number of photos, and the drafts whose attachment was picked from them.
  /// - Throws: `StoreError.onlyCopies` if an original has disappeared in the meantime.
  package func forget(
    run: Int64, onlyCopies: Bool = false
  ) async throws(StoreError) -> (photos: Int, drafts: [String]) {
    var photos = 0
    var drafts: [String] = []
    while true {
      let forgotten = try await catalog.database.writing { [catalog] t in
        let rows = try t.rows(
          "SELECT photo FROM library_photo WHERE run = $1 LIMIT 100", [.int(run)])
        return try catalog.forget(
          assets: rows.compactMap { $0.id(0) }, onlyCopies: onlyCopies, t)
      }
      if forgotten.isEmpty { return (photos, drafts) }
      photos += forgotten.count
      drafts += forgotten.flatMap(\.drafts)
      await release(forgotten.flatMap(\.gone))
    }
  }
}
