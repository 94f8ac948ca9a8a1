package import PhotoAttachments
import Foundation

/// Copies everything from one pair of stores to another: photos with their pictures first, then the rows that refer to
/// them. The command `move`, backups and restores use it.
///
///     erasure marks → erase the same in the target
///     page of photos → read, check and store missing pictures → insert the page
///     page of rows of each kind → insert missing rows → compare the others
///
/// Only reads the source, and never changes a row of the target, except that it replaces a secret that nothing depends
/// on. An erasure mark is the remaining trace of an erased record (`ErasureMark`). Anything erased on either side is
/// erased in the target and not copied again (decision 44). A move that was interrupted can simply be run again,
/// because it skips what the target has.
package struct StoreMove: Sendable {
  /// The number of photos or rows in a transaction.
  private let pageSize: Int
  private let source: Side
  private let target: Side
  /// If set, only one page of photos, with larger sequence numbers than this, and one page of each kind of row are
  /// moved.
  package var sampleStart: Int64?
  private let isStopped: @Sendable () -> Bool
  private let onUnmoved: @Sendable (UnmovedPhoto) throws(StoreError) -> Void
  private let onDiffering: @Sendable (DifferingEntry) throws(StoreError) -> Void
  private let progress: @Sendable (MoveSummary) -> Void

  /// The source or the target: its photos, pictures and rows.
  package struct Side: Sendable {
    package let cache: PhotoAttachmentCache
    package let records: RecordsToMove
    let role: Role

    /// The use of a store that is the target.
    package enum Role: Sendable {
      case store
      /// A store into which a backup is restored. The digests of its pictures are checked as well.
      case restored
      /// A snapshot, which also gets rows and photos that are damaged in the source.
      case snapshot
      /// A snapshot whose pictures stay where they are.
      case snapshotOfRecords
    }

    package init(_ cache: PhotoAttachmentCache, as role: Role = .store) {
      self.cache = cache
      self.role = role
      records = RecordsToMove(cache, isSnapshot: role == .snapshot || role == .snapshotOfRecords)
    }

    var isSnapshot: Bool { role == .snapshot || role == .snapshotOfRecords }

    /// Returns `true` if a photo is copied even if its pictures are damaged. In a restored store, `verify --repair` can
    /// repair them as long as the photo's record is intact.
    func takesAll(of photo: SealedRecord) -> Bool {
      isSnapshot || role == .restored && photo.isSealed
    }
  }

  /// - Parameters:
  ///   - pageSize: the number of photos or rows in a transaction.
  ///   - isStopped: returns `true` to stop after the current page.
  ///   - progress: runs after each page.
  ///   - onUnmoved: receives each photo that can't be moved.
  ///   - onDiffering: receives each row that differs in the target.
  package init(
    from source: Side, to target: Side, pageSize: Int = 64,
    isStopped: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (MoveSummary) -> Void = { _ in },
    onUnmoved: @escaping @Sendable (UnmovedPhoto) throws(StoreError) -> Void = { _ in },
    onDiffering: @escaping @Sendable (DifferingEntry) throws(StoreError) -> Void = { _ in }
  ) {
    self.source = source
    self.target = target
    self.pageSize = pageSize
    self.isStopped = isStopped
    self.progress = progress
    self.onUnmoved = onUnmoved
    self.onDiffering = onDiffering
  }

  /// Copies what the target doesn't have. Blocks.
  ///
  /// - Throws: errors of the stores. Pages that were copied before stay.
  package func copyAll() throws(StoreError) -> MoveSummary {
    var summary = MoveSummary()
    try moveErasures(&summary)
    summary.lastPhoto = sampleStart ?? 0
    try movePhotos(&summary)
    if try !target.records.adopt(source.records.secret()) {
      summary.differing += 1
      try onDiffering(DifferingEntry(kind: nil, key: [], fields: ["secret"]))
    }
    for kind in MovedKind.allCases where kind != .erasures { try move(kind, &summary) }
    guard summary.leftOut > 0, !summary.isStopped, sampleStart == nil else { return summary }
    // A row was left out if the target lacked something that it refers to. That may have been added to the source in
    // the meantime, so try again.
    summary.leftOut = 0
    for kind in MovedKind.allCases where kind != .erasures {
      try move(kind, &summary, isSecondPass: true)
    }
    return summary
  }

  /// Copies only erasure marks, and erases the marked records. Blocks.
  package func copyErasures() throws(StoreError) {
    var summary = MoveSummary()
    try moveErasures(&summary)
  }

  /// Copies erasure marks, and erases the marked records in the target. A photo that was forgotten in the source stays
  /// if the target has its only copy (decision 92). Its marks aren't copied then, because backups of the target would
  /// leave the photo out.
  private func moveErasures(_ summary: inout MoveSummary) throws(StoreError) {
    let copies =
      try target.role == .store ? target.records.onlyCopies(forgottenIn: source.records) : []
    let kept = copies.flatMap { [ErasureMark.library($0), ErasureMark.photo($0)] }
    try move(.erasures, &summary, without: Set(kept.map { [.text($0)] }))
    for id in copies.sorted() {
      summary.differing += 1
      try onDiffering(DifferingEntry(kind: .library, key: [.text(id)], fields: ["forgotten"]))
    }
  }

  // MARK: - Photos

  private func movePhotos(_ summary: inout MoveSummary) throws(StoreError) {
    while !summary.isStopped {
      let page = try source.cache.catalog.page(
        after: summary.lastPhoto, limit: pageSize, attachedOnly: false)
      guard let end = page.last?.sequence else { return }
      summary.lastPhoto = end
      try move(page, &summary)
      progress(summary)
      summary.isStopped = isStopped()
      if sampleStart != nil { return }
    }
  }

  /// Copies a page of photos. Starts over if another process deletes an unused picture or inserts a photo before the
  /// page is inserted.
  private func move(
    _ all: [SealedRecord], _ summary: inout MoveSummary
  ) throws(StoreError) {
    var tries = 0
    var most = -1
    while tries < 5 {
      let erased = try target.records.selectErased(photos: all.map(\.id))
      // The source still has these photos, so the marks in this snapshot come from a different store.
      if target.isSnapshot, !erased.isEmpty {
        throw .backup(.otherStore, path: target.cache.folder.path)
      }
      let page = all.filter { !erased.contains($0.id) }
      let known = try target.records.photos(ids: page.map(\.id))
      let there = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
      // Count from 1 again if another move has inserted some of these photos since the last attempt.
      tries = known.count > most ? 1 : tries + 1
      most = max(most, known.count)
      let pictures = page.flatMap { RecordedPicture.all(of: there[$0.id] ?? $0) }
      let found = try target.role == .snapshotOfRecords ? nil : copy(pictures, &summary)
      let judged = page.map { photo -> (photo: SealedRecord, fate: PictureFate) in
        let pictures = RecordedPicture.all(of: there[photo.id] ?? photo)
        let isComplete = photo.isSealed && pictures.count == BlobPath.Kind.ofRecords.count
        let fate = pictures.reduce(isComplete ? PictureFate.present : .damaged) {
          max($0, found == nil ? .present : found?[$1.place] ?? .damaged)
        }
        return (photo, fate)
      }
      // A photo may have been deleted after its page was read.
      let failed = judged.filter { $0.fate > .copied }.map(\.photo.id)
      let remaining =
        failed.isEmpty ? [] : Set(try source.records.photos(ids: failed).map(\.id))
      let fates = judged.filter { $0.fate <= .copied || remaining.contains($0.photo.id) }
      let new = fates.filter {
        ($0.fate <= .copied || target.takesAll(of: $0.photo)) && there[$0.photo.id] == nil
      }.map(\.photo)
      guard try record(new) else { continue }
      summary.erased += erased.count
      return try count(fates, there: Set(there.keys), &summary)
    }
    throw .fault(.blobVanished)
  }

  /// Inserts photos. Returns `false` and inserts nothing if a picture has disappeared.
  private func record(_ photos: [SealedRecord]) throws(StoreError) -> Bool {
    if photos.isEmpty { return true }
    return try target.records.add(photos) { () throws(StoreError) in
      if target.role != .store { return true }
      for photo in photos where try !target.cache.blobs.holds(photo) { return false }
      return true
    }
  }

  private func count(
    _ fates: [(photo: SealedRecord, fate: PictureFate)], there: Set<String>,
    _ summary: inout MoveSummary
  ) throws(StoreError) {
    for (photo, fate) in fates {
      switch fate {
      case .present, .copied:
        if there.contains(photo.id) { summary.alreadyThere += 1 } else { summary.moved += 1 }
        continue
      case .missing: summary.missing += 1
      case .unreadable: summary.unreadable += 1
      case .damaged: summary.damaged += 1
      case .unstored: summary.unstored += 1
      }
      if target.takesAll(of: photo), !there.contains(photo.id) { summary.moved += 1 }
      try onUnmoved(
        UnmovedPhoto(id: photo.id, fileName: photo.text("fileName") ?? "", problem: fate))
    }
  }

  /// Copies the pictures that the target doesn't have.
  private func copy(
    _ pictures: [RecordedPicture], _ summary: inout MoveSummary
  ) throws(StoreError) -> [BlobPath: PictureFate] {
    let each = Dictionary(pictures.map { ($0.place, $0) }) { first, _ in first }
    let found = try Array(each.values).concurrentMap { [source, target] picture in
      do throws(StoreError) {
        let fate = try picture.copy(
          from: source.cache.blobs, to: target.cache.blobs, provesTarget: target.role == .restored)
        return (picture, fate)
      } catch {
        // Unlike a full disk, which ends the backup, a bad folder only affects the pictures in it.
        guard target.isSnapshot, case .storage = error else { throw error }
        return (picture, .unstored)
      }
    }
    for (picture, fate) in found where fate == .copied {
      summary.pictures += 1
      summary.bytes += picture.sizeBytes
    }
    return Dictionary(uniqueKeysWithValues: found.map { ($0.0.place, $0.1) })
  }

  // MARK: - Rows that refer to photos

  /// - Parameters:
  ///   - isSecondPass: `true` to count only rows that the first pass skipped.
  ///   - kept: the keys of rows to skip.
  private func move(
    _ kind: MovedKind, _ summary: inout MoveSummary, isSecondPass: Bool = false,
    without kept: Set<[FieldValue]> = []
  ) throws(StoreError) {
    var last: [FieldValue]?
    while !summary.isStopped {
      let all = try source.records.rows(kind, after: last, limit: pageSize)
      guard let end = all.last else { return }
      last = end.place
      let erased = Set(try target.records.selectErased(all, of: kind).map(\.place))
      let page = all.filter { !erased.contains($0.place) && !kept.contains($0.key(kind)) }
      let there = try findRows(page, kind)
      let new = page.filter { there[$0.key(kind)] == nil }
      summary.erased += try add(new, kind)
      var added = try findRows(new, kind)
      if added.count < new.count, sampleStart == nil {
        try movePhotos(&summary)
        try add(new.filter { added[$0.key(kind)] == nil }, kind)
        added = try findRows(new, kind)
      }
      summary.entries += added.count
      summary.leftOut += new.count - added.count
      if !isSecondPass {
        summary.erased += erased.count
        try compare(page, with: there, kind, &summary)
      }
      progress(summary)
      summary.isStopped = isStopped()
      if sampleStart != nil { return }
    }
  }

  /// - Returns: the number of photos, drafts and announcements that were erased.
  @discardableResult
  private func add(_ rows: [MovedRow], _ kind: MovedKind) throws(StoreError) -> Int {
    if rows.isEmpty { return 0 }
    let (unused, erased) = try target.records.add(rows, to: kind)
    // Other snapshots may refer to the same pictures.
    if !target.isSnapshot { _ = target.cache.releaseNow(unused) }
    return erased
  }

  private func compare(
    _ page: [MovedRow], with there: [[FieldValue]: MovedRow], _ kind: MovedKind,
    _ summary: inout MoveSummary
  ) throws(StoreError) {
    for row in page {
      if target.isSnapshot, !row.isSealed(kind) {
        summary.damaged += 1
        try onUnmoved(
          UnmovedPhoto(id: row.fields["photo"]?.text ?? "", fileName: "", problem: .damaged))
      }
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
  }

  private func findRows(
    _ rows: [MovedRow], _ kind: MovedKind
  ) throws(StoreError) -> [[FieldValue]: MovedRow] {
    if rows.isEmpty { return [:] }
    let found = try target.records.rows(kind, keys: rows.map { $0.key(kind) })
    return Dictionary(found.map { ($0.key(kind), $0) }) { first, _ in first }
  }
}
