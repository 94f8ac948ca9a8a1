package import Foundation
import Glibc
package import SystemPackage

/// A library photo none of whose originals is known to be there (decision 92).
package struct OnlyCopy: Sendable, Equatable {
  package let photo: UUID
  /// What is known of the file that it was made from.
  package let original: Original

  package enum Original: Sendable, Equatable {
    case deleted
    case moved(to: FilePath)
    /// None is on record, or no file, or another one, lies in its place.
    case gone
    /// It lies on another machine, in a store, or where it can't be looked at now.
    case unreachable
  }
}

extension Catalog {
  /// Notes what becomes of originals, before it happens: from then on their photos count as only copies.
  ///
  /// - Returns: which of them are on record as originals of their photos. No other may be taken away.
  package func note(
    _ originals: [(path: [UInt8], photo: UUID, outcome: SourceRemoval.Outcome)],
    origin: String? = nil
  ) throws(StoreError) -> [Bool] {
    if originals.isEmpty { return [] }
    let here = FilePath(FileManager.default.currentDirectoryPath)
    let queries = originals.map { path, photo, outcome in
      let fate: [FieldValue] =
        switch outcome {
        case .deleted: [.text("deleted"), .null]
        case .moved(let target): [.text("moved"), .data(Data(here.pushing(target).rawBytes))]
        case .kept: [.null, .null]
        }
      let key: [FieldValue] = [
        .text(origin ?? self.origin(of: path)), .data(Data(path)), .text(photo.uuidString),
      ]
      return Query(
        """
        UPDATE source_file SET fate = $1, moved_to = $2
        WHERE origin = $3 AND path = $4 AND photo = $5
        """, fate + key
      ) { $0.touched > 0 }
    }
    return try database.write { try $0.ask(Query(each: queries)) }
  }

  /// Those of library photos that are only copies.
  package func onlyCopies(among photos: [UUID]) throws(StoreError) -> [OnlyCopy] {
    try database.read { try onlyCopies(among: photos, $0) }
  }

  /// - Parameter lock: behind a SELECT, so that no import takes an original away meanwhile.
  private func onlyCopies(
    among photos: [UUID], lock: String = "", _ t: Transaction
  ) throws -> [OnlyCopy] {
    try PhotoRows.groups(photos, of: 500).flatMap { some in
      let list = FieldValue.list(some.map(\.uuidString))
      let among = "photo \(t.dialect.among("$1"))"
      let library = try t.rows(
        "SELECT photo FROM library_photo WHERE \(among) ORDER BY photo\(lock)", [list])
      let rows = try t.rows(
        """
        SELECT \(SourceRows.columns), origin, fate, moved_to FROM source_file
        WHERE \(among) ORDER BY tier IS NOT NULL, path\(lock)
        """, [list])
      var lost: [UUID: OnlyCopy.Original] = [:]
      var found: Set<UUID> = []
      for row in rows {
        guard let id = row.id(6), !found.contains(id) else { continue }
        if let original = lostOriginal(row) {
          lost[id] = lost[id] ?? original
        } else {
          found.insert(id)
        }
      }
      return library.compactMap { $0.id(0) }.filter { !found.contains($0) }
        .map { OnlyCopy(photo: $0, original: lost[$0] ?? .gone) }
    }
  }

  /// Nil for an original that lies where it lay.
  private func lostOriginal(_ row: ResultRow) -> OnlyCopy.Original? {
    let next = SourceRows.columnCount
    if let fate = row.text(next + 1) {
      return fate == "moved"
        ? .moved(to: FilePath(bytes: row.data(next + 2).map(Array.init) ?? [])) : .deleted
    }
    guard let source = SourceRows.record(row, from: 0), row.text(next) == store.origins.files,
      source.path.first == UInt8(ascii: "/")
    else { return .unreachable }
    var status = stat()
    guard source.path.withPath({ lstat($0, &status) }) == 0 else {
      return [ENOENT, ENOTDIR].contains(errno) ? .gone : .unreachable
    }
    var identity = FileIdentity(status)
    // A disk may have another number since it was mounted again.
    identity.device = source.identity.device
    return status.st_mode & S_IFMT == S_IFREG && identity == source.identity ? nil : .gone
  }

  /// Forgets photos (`forget(asset:)`), all or none.
  ///
  /// - Throws: `StoreError.onlyCopies` when some are, unless these are to be forgotten, too.
  package func forget(
    assets: [UUID], onlyCopies: Bool, _ t: Transaction
  ) throws -> [(drafts: [String], gone: [BlobPath])] {
    if !onlyCopies {
      let copies = try self.onlyCopies(among: assets, lock: t.dialect.forUpdate, t)
      if !copies.isEmpty { throw StoreError.onlyCopies(photos: copies.map(\.photo.uuidString)) }
    }
    return try assets.map { try forget(asset: $0, t) }
  }
}
