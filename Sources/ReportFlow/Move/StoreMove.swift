package import PhotoAttachments
import Foundation
import PhotoIngestion
import Synchronization

/// Takes everything from one pair of stores to another: photos with their pictures first, then what
/// refers to them.
///
///     marks of what was erased → what the target has of it goes
///     page of photos → pictures that are not there: read, proved, put → record the page
///     page of rows of each kind → record those that are not there → look again
///
/// The source is only read, and what the target has is left as it is, but what was erased meanwhile: that
/// goes, and comes from neither side again (decision 44). So a move that ended anywhere is
/// begun again and goes on: what is there is looked at and not copied.
package struct StoreMove: Sendable {
  /// Photos, or rows, that are recorded together.
  private let pageSize: Int
  private let source: any MoveSource
  private let target: Side
  private let isStopped: @Sendable () -> Bool
  private let onUnmoved: @Sendable (UnmovedPhoto) throws(StoreError) -> Void
  private let onDiffering: @Sendable (DifferingEntry) throws(StoreError) -> Void
  private let progress: @Sendable (MoveSummary) -> Void

  /// One of the two: photos and their pictures, and all records.
  package struct Side: Sendable {
    package let cache: PhotoAttachmentCache
    package let records: RecordsToMove

    package init(_ cache: PhotoAttachmentCache) {
      self.cache = cache
      records = RecordsToMove(cache)
    }
  }

  /// - Parameters:
  ///   - pageSize: photos, or rows, that are recorded together.
  ///   - isStopped: whether to end after the page under way.
  ///   - progress: is called after each page.
  ///   - onUnmoved: is called with each photo that cannot be moved.
  ///   - onDiffering: is called with each entry that the target has in another state.
  package init(
    from source: any MoveSource, to target: Side, pageSize: Int = 64,
    isStopped: @escaping @Sendable () -> Bool,
    progress: @escaping @Sendable (MoveSummary) -> Void,
    onUnmoved: @escaping @Sendable (UnmovedPhoto) throws(StoreError) -> Void,
    onDiffering: @escaping @Sendable (DifferingEntry) throws(StoreError) -> Void = { _ in }
  ) {
    (self.source, self.target, self.pageSize) = (source, target, pageSize)
    (self.isStopped, self.progress) = (isStopped, progress)
    (self.onUnmoved, self.onDiffering) = (onUnmoved, onDiffering)
  }

  /// Moves what is not there. Blocks.
  ///
  /// - Throws: errors of the stores; what was recorded until then stays.
  package func run() throws(StoreError) -> MoveSummary {
    var summary = MoveSummary()
    try move(.erasures, &summary)
    try movePhotos(&summary)
    if try !target.records.adopt(source.secret()) {
      summary.differing += 1
      try onDiffering(DifferingEntry(kind: nil, key: [], fields: ["secret"]))
    }
    for kind in MovedKind.allCases where kind != .erasures { try move(kind, &summary) }
    return summary
  }

  // MARK: - Photos

  private func movePhotos(_ summary: inout MoveSummary) throws(StoreError) {
    var last: Int64 = 0
    while !summary.isStopped {
      let page = try source.photos(after: last, limit: pageSize)
      guard let end = page.last?.sequence else { return }
      last = end
      try move(page, &summary)
      progress(summary)
      summary.isStopped = isStopped()
    }
  }

  /// Between putting a picture and recording it another process may sweep it away, or another move record it;
  /// recording sees that.
  private func move(
    _ all: [SealedRecord], _ summary: inout MoveSummary
  ) throws(StoreError) {
    var (tries, most) = (0, -1)
    while tries < 5 {
      let erased = try target.records.erased(photos: all.map(\.id))
      let page = all.filter { !erased.contains($0.id) }
      let known = try target.records.photos(ids: page.map(\.id))
      let there = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
      // Another move goes on, and comes to an end.
      tries = known.count > most ? 1 : tries + 1
      most = max(most, known.count)
      let found = try bring(page.flatMap { MovedPicture.all(of: there[$0.id] ?? $0) }, &summary)
      let fates = page.map { photo in
        let pictures = MovedPicture.all(of: there[photo.id] ?? photo)
        let isComplete = photo.isSealed && pictures.count == BlobPath.Kind.ofRecords.count
        return pictures.reduce(isComplete ? MovedPicture.Fate.there : .damaged) {
          max($0, found[$1.place] ?? .damaged)
        }
      }
      let new = zip(page, fates).filter { $1 <= .brought && there[$0.id] == nil }.map(\.0)
      guard try record(new) else { continue }
      summary.erased += erased.count
      return try count(page, fates, there: Set(there.keys), &summary)
    }
    throw .fault(.blobVanished)
  }

  /// False, and nothing is recorded, when a picture is gone again.
  private func record(_ photos: [SealedRecord]) throws(StoreError) -> Bool {
    if photos.isEmpty { return true }
    return try target.records.add(photos) { () throws(StoreError) in
      for photo in photos where try !target.cache.blobs.holds(photo) { return false }
      return true
    }
  }

  private func count(
    _ page: [SealedRecord], _ fates: [MovedPicture.Fate], there: Set<String>,
    _ summary: inout MoveSummary
  ) throws(StoreError) {
    for (photo, fate) in zip(page, fates) {
      switch fate {
      case .there, .brought:
        if there.contains(photo.id) { summary.alreadyThere += 1 } else { summary.moved += 1 }
        continue
      case .missing: summary.missing += 1
      case .damaged: summary.damaged += 1
      }
      try onUnmoved(
        UnmovedPhoto(
          id: photo.id, fileName: photo.text("fileName") ?? "", isMissing: fate == .missing))
    }
  }

  /// Brings those of the pictures that the target does not hold.
  private func bring(
    _ pictures: [MovedPicture], _ summary: inout MoveSummary
  ) throws(StoreError) -> [BlobPath: MovedPicture.Fate] {
    let each = Dictionary(pictures.map { ($0.place, $0) }) { first, _ in first }
    let found = try Array(each.values).concurrentMap { [source, target] picture in
      (picture, try picture.bring(from: source.blobs, to: target.cache.blobs))
    }
    for (picture, fate) in found where fate == .brought {
      summary.pictures += 1
      summary.bytes += picture.sizeBytes
    }
    return Dictionary(uniqueKeysWithValues: found.map { ($0.0.place, $0.1) })
  }

  // MARK: - What refers to them

  private func move(_ kind: MovedKind, _ summary: inout MoveSummary) throws(StoreError) {
    var last: [FieldValue]?
    while !summary.isStopped {
      let all = try source.rows(kind, after: last, limit: pageSize)
      guard let end = all.last else { return }
      last = end.place
      let erased = Set(try target.records.erased(all, of: kind).map(\.place))
      let page = all.filter { !erased.contains($0.place) }
      summary.erased += erased.count
      let there = try stored(page, kind)
      let new = page.filter { there[$0.key(kind)] == nil }
      if !new.isEmpty { _ = target.cache.releaseNow(try target.records.add(new, to: kind)) }
      let added = try stored(new, kind)
      summary.entries += added.count
      summary.leftOut += new.count - added.count
      for row in page {
        guard let other = there[row.key(kind)] else { continue }
        if other.fields == row.fields {
          summary.entriesThere += 1
          continue
        }
        summary.differing += 1
        try onDiffering(
          DifferingEntry(
            kind: kind, key: row.key(kind),
            fields: kind.fields.filter { other.fields[$0] != row.fields[$0] }))
      }
      progress(summary)
      summary.isStopped = isStopped()
    }
  }

  private func stored(
    _ rows: [MovedRow], _ kind: MovedKind
  ) throws(StoreError) -> [[FieldValue]: MovedRow] {
    if rows.isEmpty { return [:] }
    let found = try target.records.rows(kind, keys: rows.map { $0.key(kind) })
    return Dictionary(found.map { ($0.key(kind), $0) }) { first, _ in first }
  }
}
