package import Foundation
import Glibc
package import SystemPackage

/// A library photo without any known original in place (decision 92), and the fate of its first original.
package typealias OnlyCopy = (photo: UUID, original: LostOriginal)

/// The reason why an original isn't in place.
package enum LostOriginal: Sendable, Equatable {
  case deleted
  case moved(to: FilePath)
  /// No original is on record, or its file is missing or has changed.
  case gone
  /// The original is on another machine or in an object store, or can't be read now.
  case unreachable
}

extension Catalog {
  /// Records what is about to happen to an original. From then on, its photo may count as an only copy.
  ///
  /// - Returns: `true` if the file is on record as the photo's original. Otherwise it must not be removed.
  package func recordRemoval(
    _ outcome: SourceRemoval.Outcome, of path: [UInt8], photo: UUID
  ) throws(StoreError) -> Bool {
    let here = FilePath(FileManager.default.currentDirectoryPath)
    let fate: [FieldValue] =
      switch outcome {
      case .deleted: [.text("deleted"), .null]
      case .moved(let target): [.text("moved"), .data(Data(here.pushing(target).rawBytes))]
      case .kept: [.null, .null]
      }
    let origin = FieldValue.text(self.origin(of: path))
    return try database.write { t in
      try t.execute(
        """
        UPDATE source_file SET fate = $1, moved_to = $2
        WHERE origin = $3 AND path = $4 AND photo = $5
        """, fate + [origin, .data(Data(path)), .text(photo.uuidString)]) > 0
    }
  }

  /// Returns those of the photos that are only copies. Reads the originals of the others, because a file can change and
  /// keep its size and date. Blocks.
  package func onlyCopies(among photos: [UUID]) throws(StoreError) -> [OnlyCopy] {
    var copies: [OnlyCopy] = []
    for some in PhotoRows.groups(photos, of: 500) {
      let (library, files) = try database.read { try originals(of: some, $0) }
      copies += onlyCopies(library, files, comparesBytes: true)
    }
    return copies
  }

  /// Looks up photos and their originals.
  ///
  /// - Parameter lock: the SQL at the end of both SELECTs that locks their rows, so that an import can't remove an
  ///   original meanwhile.
  /// - Returns: those of the photos that are in the library, and the files with exactly the bytes that they were made
  ///   from. A file that only has equal pixels isn't an original, because it lacks whatever else a deleted one
  ///   contained.
  private func originals(
    of photos: [UUID], lock: String = "", _ t: Transaction
  ) throws -> (library: [UUID], files: [ResultRow]) {
    let list = FieldValue.list(photos.map(\.uuidString))
    let among = "photo \(t.dialect.among("$1"))"
    let library = try t.rows(
      "SELECT photo FROM library_photo WHERE \(among) ORDER BY photo\(lock)", [list])
    let files = try t.rows(
      """
      SELECT \(SourceRows.columns), origin, fate, moved_to FROM source_file
      WHERE \(among)
        AND sha256 = (SELECT "sourceSHA256" FROM photo WHERE photo."id" = source_file.photo)
      ORDER BY tier IS NOT NULL, path\(lock)
      """, [list])
    return (library.compactMap { $0.id(0) }, files)
  }

  /// Returns those of the library photos for which none of the files is an original in place.
  private func onlyCopies(
    _ library: [UUID], _ files: [ResultRow], comparesBytes: Bool
  ) -> [OnlyCopy] {
    var lost: [UUID: LostOriginal] = [:]
    var found: Set<UUID> = []
    for row in files {
      guard let id = row.id(6), !found.contains(id) else { continue }
      if let original = lostOriginal(row, comparesBytes: comparesBytes) {
        lost[id] = lost[id] ?? original
      } else {
        found.insert(id)
      }
    }
    return library.filter { !found.contains($0) }.map { ($0, lost[$0] ?? .gone) }
  }

  /// Returns `nil` if the original is in place.
  private func lostOriginal(_ row: ResultRow, comparesBytes: Bool) -> LostOriginal? {
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
    guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == source.identity.size else {
      return .gone
    }
    if !comparesBytes { return nil }
    let file = source.path.withPath { open($0, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC) }
    guard file >= 0, let digest = try? OpenFile(file).digest(of: source.identity.size) else {
      return .unreachable
    }
    return digest == source.sha256 ? nil : .gone
  }

  /// Forgets photos (`forget(asset:)`), all or none. The caller has compared their originals before by
  /// `onlyCopies(among:)`. Here only size and type are checked again, because other transactions wait.
  ///
  /// - Throws: `StoreError.onlyCopies` if some are only copies, unless `onlyCopies` allows that.
  package func forget(
    assets: [UUID], onlyCopies: Bool, _ t: Transaction
  ) throws -> [(drafts: [String], gone: [BlobPath])] {
    if onlyCopies {
      try t.lock(.erasures)
      try Erasures.insert(assets.map { ErasureMark.onlyCopy($0.uuidString) }, t)
    } else {
      let (library, files) = try originals(of: assets, lock: t.dialect.forUpdate, t)
      let copies = self.onlyCopies(library, files, comparesBytes: false)
      if !copies.isEmpty { throw StoreError.onlyCopies(photos: copies.map(\.photo.uuidString)) }
    }
    return try assets.map { try forget(asset: $0, t) }
  }
}
