import Foundation
import GRDB
import PhotoIngestion

/// Entries of the catalog that point at nothing or contradict others.
extension PhotoMender {
  func repair(_ entry: CatalogEntry) throws(PhotoError) -> VerifyReport.Repair? {
    let problem = try verifier.cache.catalog.read { try entry.problem($0) }
    // A photo it points at may have been repaired before.
    guard let problem else { return .done(.record) }
    switch entry {
    case .attachment(let draft):
      guard problem == .reference else { return .failed(.noSource) }
      // Its photo is gone: the draft becomes what it is without one.
      try verifier.cache.catalog.write { db in
        guard let gone = try AttachmentRow.fetch(db, draft: draft)?.machine.photo,
          try entry.problem(db) == .reference
        else { return }
        _ = try verifier.cache.apply(.forget(gone), to: draft, db)
      }
      return .done(.released)
    case .library(let photo):
      if problem == .reference { return try remake(photo) }
      return try mendHash(photo)
    case .source(let path):
      try mendSource(path, isDangling: problem == .reference)
      return .done(problem == .reference ? .released : .record)
    case .other: return .failed(.noSource)
    case .asset(let photo):
      try verifier.cache.catalog.write { db in
        guard try entry.problem(db) != nil else { return }
        try db.execute(
          sql: "UPDATE photo SET assetIdentifier = NULL WHERE id = ?", arguments: [photo])
      }
      return .done(.released)
    }
  }

  /// A library entry without its photo: recorded anew from the original, or let go.
  private func remake(_ photo: String) throws(PhotoError) -> VerifyReport.Repair {
    let cache = verifier.cache
    var isDone = false
    if let id = UUID(uuidString: photo) {
      _ = try originals.search(ids: [photo], digest: nil) { original throws(PhotoError) in
        guard let prepared = try prepare(original.received) else { return false }
        let metadata = cache.metadata(
          of: prepared, id: id, assetIdentifier: nil,
          blob: try cache.blobs.put(prepared.blob, kind: .blob),
          preview: try cache.blobs.put(prepared.preview, kind: .preview))
        isDone = try cache.catalog.write { db in
          let row = PhotoRow(metadata)
          guard try row.places.allSatisfy({ try cache.blobs.facts($0) != nil }),
            try CatalogEntry.library(photo: photo).problem(db) == .reference
          else { return false }
          try row.insertSealed(db)
          return true
        }
        return isDone
      }
    }
    if isDone { return .done(.source) }
    try cache.catalog.write { db in
      guard try CatalogEntry.library(photo: photo).problem(db) == .reference else { return }
      try db.execute(sql: "DELETE FROM libraryPhoto WHERE photo = ?", arguments: [photo])
    }
    return .done(.released)
  }

  /// The perceptual hash of a library photo, worked out again.
  private func mendHash(_ photo: String) throws(PhotoError) -> VerifyReport.Repair {
    let cache = verifier.cache
    guard let row = try cache.catalog.read({ try RawPhoto.fetch($0, id: photo) }),
      let id = UUID(uuidString: photo)
    else { return .failed(.noSource) }
    let sealed = try cache.catalog.read {
      try String.fetchOne(
        $0, sql: "SELECT seal FROM libraryPhoto WHERE photo = ?", arguments: [photo])
    }
    var found: (LibraryRow, VerifyReport.Method)?
    _ = try originals.search(ids: [photo], digest: row.text("sourceSHA256")) {
      original throws(PhotoError) in
      guard let prepared = try prepare(original.received) else { return false }
      let library = LibraryRow(photo: id, perceptualHash: prepared.perceptualHash)
      if found == nil || library.seal == sealed { found = (library, .source) }
      return library.seal == sealed
    }
    if found == nil, let prepared = try preparedBlob(row) {
      found = (LibraryRow(photo: id, perceptualHash: prepared.perceptualHash), .blob)
    }
    guard let (library, method) = found else { return .failed(.noSource) }
    try cache.catalog.write { db in
      if try LibraryRow.fetch(db, id: id) != nil { try library.update(db) }
    }
    return .done(method)
  }

  private func mendSource(_ path: Data, isDangling: Bool) throws(PhotoError) {
    try verifier.cache.catalog.write { db in
      guard try CatalogEntry.source(path: path).problem(db) != nil else { return }
      if isDangling { return try SourceFileRow.delete(db, path: path) }
      try db.execute(
        sql: """
          UPDATE sourceFile
          SET sha256 = (SELECT sourceSHA256 FROM photo WHERE photo.id = sourceFile.photo)
          WHERE path = ?
          """, arguments: [path])
    }
  }
}
