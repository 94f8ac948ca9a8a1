package import Foundation
import ImageContainers
package import PhotoAttachments
package import PhotoIngestion
import Synchronization

/// A wrapper of a real storage whose calls fail on demand. It can also break a rule.
package final class FaultyStorage: BlobStorage {
  /// A rule to break.
  package enum Fault: CaseIterable, Sendable {
    case showsHalves, keepsDamage, leavesStaging, forgetsKinds, cutsBodies
    case discardsTheNamed, removesNothingLoudly, movesAnother, hidesQuarantine
  }

  private let storage: any BlobStorage
  private let faults: Faults
  private let fault: Fault?
  /// Replaces the bytes of a stored picture.
  private let damage: @Sendable (BlobPath, [UInt8]) throws -> Void
  private let named = Mutex<Set<BlobPath>>([])

  init(
    _ storage: any BlobStorage, _ faults: Faults, breaking fault: Fault?,
    damage: @escaping @Sendable (BlobPath, [UInt8]) throws -> Void
  ) {
    (self.storage, self.faults, self.fault, self.damage) = (storage, faults, fault, damage)
  }

  package var isRemote: Bool { storage.isRemote }

  /// A marker for a staged picture that a broken storage doesn't name, so an existing, damaged one stays.
  private struct Kept: Sendable {}

  package func stage(
    _ picture: EncodedPicture, kind: BlobPath.Kind, unlessStored: Bool
  ) throws(StoreError) -> StagedPicture {
    try faults.pass()
    if fault == .keepsDamage, unlessStored {
      let place = try picture.place(kind)
      if try storage.facts(place) != nil {
        return StagedPicture(
          picture, at: place, url: url(of: place), body: .bytes(picture.bytes), handle: Kept())
      }
    }
    return try storage.stage(picture, kind: kind, unlessStored: unlessStored)
  }

  package func name(_ staged: [StagedPicture]) throws(StoreError) {
    try faults.pass()
    for picture in staged {
      if fault == .showsHalves, picture.picture.sizeBytes > 100_000 { showHalf(of: picture) }
      if fault == .leavesStaging { try stageAgain(picture) }
      if fault == .discardsTheNamed { named.withLock { _ = $0.insert(picture.place) } }
    }
    try storage.name(staged.filter { !($0.handle is Kept) })
  }

  private static let half = 1000

  /// Shows the beginning of a picture under its name until it is read, for at most ten seconds.
  private func showHalf(of staged: StagedPicture) {
    guard let bytes = try? staged.body.all() else { return }
    waitUntil(milliseconds: 10_000) {
      if !faults.isHalfRead.value { try? damage(staged.place, Array(bytes.prefix(Self.half))) }
      return faults.isHalfRead.value
    }
  }

  private func stageAgain(_ staged: StagedPicture) throws(StoreError) {
    let picture = EncodedPicture(
      bytes: try staged.body.all(), format: staged.place.format, pixelWidth: 0, pixelHeight: 0,
      frameCount: 1, sha256: staged.place.sha256)
    _ = try storage.stage(picture, kind: staged.place.kind)
  }

  package func discard(_ staged: StagedPicture) {
    if !(staged.handle is Kept) { storage.discard(staged) }
    if named.withLock({ $0.contains(staged.place) }) { _ = try? storage.remove(staged.place) }
  }

  package func body(_ place: BlobPath, inPieces: Bool) throws(StoreError) -> PictureBody {
    try faults.pass()
    let body = try storage.body(place, inPieces: inPieces)
    if body.count == Self.half { faults.isHalfRead.set() }
    return fault == .cutsBodies ? .bytes(try body.all().dropLast()) : body
  }

  package func findBlob(at place: BlobPath, quickly: Bool) throws(StoreError) -> BlobFacts? {
    if !quickly { try faults.pass() }
    return try storage.findBlob(at: place, quickly: quickly)
  }

  package func url(of place: BlobPath) -> URL { storage.url(of: place) }

  package func list(_ folder: BlobPath.Folder) throws(StoreError) -> [BlobPath] {
    try faults.pass()
    let listed = try storage.list(folder)
    switch (fault, folder) {
    case (.forgetsKinds, .shard(_, let shard)):
      return try storage.list(.shard(.blob, shard)) + storage.list(.shard(.preview, shard))
    case (.hidesQuarantine, .quarantine):
      return Array(Dictionary(listed.map { ($0.origin, $0) }) { $1 }.values)
    default: return listed
    }
  }

  package func remove(_ place: BlobPath) throws(StoreError) -> Int? {
    try faults.pass()
    let removed = try storage.remove(place)
    if removed == nil, fault == .removesNothingLoudly { throw .missingPhoto }
    return removed
  }

  package func removeUnfinished(
    of shard: StoreShard, dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    try storage.removeUnfinished(of: shard, dryRun: dryRun, isOld: isOld)
  }

  package func move(
    _ place: BlobPath, _ identity: FileIdentity, to quarantine: BlobPath
  ) throws(StoreError) -> Bool {
    try faults.pass()
    let other =
      fault == .movesAnother ? try storage.findBlob(at: place, quickly: false)?.identity : nil
    return try storage.move(place, other ?? identity, to: quarantine)
  }
}

extension StorePlace {
  /// Returns this place with a storage whose calls fail on demand.
  ///
  /// - Parameter fault: the rule that the storage breaks.
  package func failing(breaking fault: FaultyStorage.Fault? = nil) -> StorePlace {
    let (faults, open, damage) = (Faults(), open, damage)
    let calls = ["put": "name", "delete": "remove", "quarantine": "move"]
    return StorePlace(
      open: {
        let stores = try open()
        return Stores(
          catalog: stores.catalog,
          storage: FaultyStorage(stores.storage, faults, breaking: fault, damage: damage))
      },
      staged: staged, loseRecord: loseRecord, damage: damage,
      breakdowns: breakdowns + [
        Breakdown("a call of the storage fails", calls: Breakdown.storageCalls) {
          faults.fail(next: calls[$0] ?? $0)
        } end: {
          faults.mend()
        }
      ])
  }
}
