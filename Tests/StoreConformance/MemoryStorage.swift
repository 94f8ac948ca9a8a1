package import Foundation
import Glibc
import ImageContainers
package import PhotoAttachments
package import PhotoIngestion
import Synchronization

/// Pictures in memory, which fails on demand: the smallest storage that keeps the promises. It can be
/// told to break one.
package final class MemoryStorage: BlobStorage {
  /// A rule to break.
  package enum Fault: CaseIterable, Sendable {
    case showsHalves, keepsDamage, leavesStaging, forgetsKinds
    case discardsTheNamed, removesNothingLoudly, putsAsideAnother, overwritesAside, readsAnything
    case cutsBodies
  }

  private struct Object {
    var bytes: [UInt8]
    var modified = time(nil)
    var number: Int64
  }

  private struct State {
    var objects: [BlobPath: Object] = [:]
    var aside: [(file: QuarantinedFile, bytes: [UInt8])] = []
    var staged: [Int64: [UInt8]] = [:]
    /// Where a broken store named what was staged.
    var named: [Int64: BlobPath] = [:]
    var last: Int64 = 0
    /// Whether somebody has read the half that a broken store shows.
    var isHalfRead = false

    mutating func add(_ bytes: [UInt8], at place: BlobPath) {
      last += 1
      objects[place] = Object(bytes: bytes, number: last)
    }
  }

  private let state = Mutex(State())
  package let faults = Faults()
  private let fault: Fault?

  package init(breaking fault: Fault? = nil) { self.fault = fault }

  /// How many pictures are staged.
  package var stagedCount: Int { state.withLock { $0.staged.count } }

  package func put(
    _ picture: EncodedPicture, kind: BlobPath.Kind
  ) throws(StoreError) -> StoredPicture {
    try faults.pass()
    let place = try picture.place(kind)
    if fault == .showsHalves, picture.bytes.count > 100_000 { showHalf(of: picture, at: place) }
    state.withLock { state in
      let isThere =
        fault == .keepsDamage
        ? state.objects[place] != nil : state.objects[place]?.bytes == picture.bytes
      if !isThere { state.add(picture.bytes, at: place) }
    }
    return StoredPicture(picture, at: place)
  }

  /// Shows the beginning of a picture until somebody has read it, in vain after a while.
  private func showHalf(of picture: EncodedPicture, at place: BlobPath) {
    waitUntil(milliseconds: 10_000) {
      state.withLock { state in
        if !state.isHalfRead { state.add(Array(picture.bytes.prefix(Self.half)), at: place) }
        return state.isHalfRead
      }
    }
  }

  private static let half = 1000

  package func stage(
    _ picture: EncodedPicture, kind: BlobPath.Kind
  ) throws(StoreError) -> StagedPicture {
    try faults.pass()
    let place = try picture.place(kind)
    let number = state.withLock { state in
      state.last += 1
      state.staged[state.last] = picture.bytes
      return state.last
    }
    return StagedPicture(picture, at: place, handle: number)
  }

  package func sync(_ staged: [StagedPicture]) throws(StoreError) { try faults.pass() }

  package func name(_ staged: [StagedPicture]) throws(StoreError) {
    try faults.pass()
    try state.withLock { state in
      Result { () throws(StoreError) in
        for picture in staged {
          guard let number = picture.handle as? Int64, let bytes = state.staged[number] else {
            throw .missingPhoto
          }
          if fault != .leavesStaging { state.staged[number] = nil }
          if fault == .discardsTheNamed { state.named[number] = picture.place }
          state.add(bytes, at: picture.place)
        }
      }
    }.get()
  }

  package func discard(_ staged: StagedPicture) {
    guard let number = staged.handle as? Int64 else { return }
    state.withLock { state in
      state.staged[number] = nil
      if let place = state.named[number] { state.objects[place] = nil }
    }
  }

  package func read(_ place: BlobPath) throws(StoreError) -> [UInt8] {
    try faults.pass()
    let read = state.withLock { state in
      let bytes = state.objects[place]?.bytes
      if fault == .showsHalves, bytes?.count == Self.half { state.isHalfRead = true }
      return bytes
    }
    guard let read else { throw .missingPhoto }
    return read
  }

  package func body(_ place: BlobPath) throws(StoreError) -> PictureBody {
    .bytes(fault == .cutsBodies ? try read(place).dropLast() : try read(place))
  }

  package func read(_ staged: StagedPicture) throws(StoreError) -> [UInt8] {
    let number = staged.handle as? Int64 ?? 0
    guard let bytes = state.withLock({ $0.staged[number] }) else { throw .missingPhoto }
    return bytes
  }

  package func facts(_ place: BlobPath) throws(StoreError) -> BlobFacts? {
    try faults.pass()
    return state.withLock {
      $0.objects[place].map { BlobFacts(sizeBytes: $0.bytes.count, modified: $0.modified) }
    }
  }

  package func absence(of place: BlobPath) -> StoreError { .missingPhoto }

  package func url(of place: BlobPath) -> URL { URL(fileURLWithPath: "/" + place.relativePath) }

  package func shards(of kind: BlobPath.Kind) throws(StoreError) -> [String] {
    try faults.pass()
    return state.withLock { state in
      Set(state.objects.keys.filter { $0.kind == kind }.map(\.shard)).sorted()
    }
  }

  package func list(_ kind: BlobPath.Kind, shard: String) throws(StoreError) -> [BlobPath] {
    try faults.pass()
    return state.withLock { state in
      state.objects.keys.filter {
        ($0.kind == kind || fault == .forgetsKinds) && $0.shard == shard
      }
      .sorted { $0.sha256 < $1.sha256 }
    }
  }

  package func remove(_ place: BlobPath) throws(StoreError) -> Int? {
    try faults.pass()
    let removed = state.withLock { $0.objects.removeValue(forKey: place)?.bytes.count }
    if removed == nil, fault == .removesNothingLoudly { throw .missingPhoto }
    return removed
  }

  package func removeUnfinished(
    of shard: StoreShard, dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    // What was staged goes with the process.
    (0, 0)
  }

  package func identity(_ place: BlobPath) -> FileIdentity? {
    state.withLock { state in
      state.objects[place].map {
        FileIdentity(
          device: 0, inode: $0.number, size: $0.bytes.count, modified: Int64($0.modified))
      }
    }
  }

  package func putAside(
    _ place: BlobPath, _ identity: FileIdentity, problem: StoreProblem, holds: String?
  ) throws(StoreError) -> String? {
    try faults.pass()
    return state.withLock { state in
      guard let object = state.objects[place],
        object.number == identity.inode || fault == .putsAsideAnother
      else { return nil }
      let name =
        "\(QuarantinedFile.origin(place))-\(problem.rawValue)-\(holds ?? "unread")-"
        + "\(object.modified)-\(object.number).\(place.format.fileExtensions[0])"
      guard let file = QuarantinedFile(name: name) else { return nil }
      state.objects[place] = nil
      if fault == .overwritesAside { state.aside.removeAll { $0.file.isFrom(place) } }
      state.aside.append((file, object.bytes))
      return file.path
    }
  }

  package func quarantined() throws(StoreError) -> [QuarantinedFile] {
    state.withLock { $0.aside.map(\.file) }
  }

  package func read(_ file: QuarantinedFile, sha256 digest: String) -> [UInt8]? {
    state.withLock { state in
      state.aside.first { $0.file.path == file.path }.map(\.bytes)
    }.flatMap { sha256(of: $0) == digest || fault == .readsAnything ? $0 : nil }
  }

  /// Puts other bytes under a picture's name, as damage does; nil takes it away.
  package func damage(_ place: BlobPath, _ bytes: [UInt8]?) {
    state.withLock { state in
      if let bytes { state.add(bytes, at: place) } else { state.objects[place] = nil }
    }
  }
}
