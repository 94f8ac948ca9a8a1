import CDispatch  // declares `stat` for this module
package import Foundation
import Glibc
package import PhotoAttachments
import Synchronization

/// The storage of resumable uploads in a folder of this machine. Each upload has a record and a file with its bytes.
///
/// Several processes may share the folder. The request that locks an upload's data file has the lease: the right to
/// write the upload. An unfinished upload takes a place, which counts toward its client's limits. Uploads that other
/// processes create take places only after the next inventory, a scan of the whole folder.
package final class FolderUploads: UploadStorage {
  let folder: UploadFolder
  private let state = Mutex(State())

  private struct State {
    /// The places of unfinished uploads. `nil` until the folder was read.
    var places: UploadPlaces?
    /// `true` if the folder's name was synced.
    var isPermanent = false
    var leases: [String: Held] = [:]
    /// The sizes of data files up to which this process has synced them.
    var safe: [String: Int] = [:]
  }

  /// A lease that a request of this process has. It's a struct with a single field, because Swift 6.3 reads an optional
  /// struct wrongly if it also has an `ObjectIdentifier`.
  private struct Held {
    weak var lease: FolderUploadLease?
  }

  /// Creates the storage. The first upload creates the folder.
  package init(_ folder: UploadFolder) { self.folder = folder }

  // MARK: - Places

  package func changePlaces(
    inserting record: UploadRecord?, of token: String,
    _ change: (inout UploadPlaces) throws -> [String]
  ) throws {
    if record != nil { try makeFolder() }
    try loadPlaces()
    let surplus = try state.withLock { state in
      var places = state.places ?? UploadPlaces()
      let surplus = try change(&places)
      state.places = places
      return surplus
    }
    // If this fails, the next upload tries again.
    for token in surplus { _ = try? delete(token) }
    guard let record else { return }
    do {
      try folder.create(token, record)
    } catch {
      forget(token)
      throw error
    }
    recordSynced(token, safe: 0)
  }

  private func makeFolder() throws {
    let isNew = try folder.make()
    guard isNew || !state.withLock({ $0.isPermanent }) else { return }
    try folder.syncName()
    state.withLock { $0.isPermanent = true }
  }

  /// Reads the unfinished uploads once.
  private func loadPlaces() throws {
    guard state.withLock({ $0.places == nil }) else { return }
    var places = UploadPlaces()
    for entry in try folder.entries() where entry.kind == .record {
      guard let record = try folder.record(entry.token), record.outcome == nil else { continue }
      places.all[entry.token] = try place(entry.token, record)
    }
    let read = places
    state.withLock { $0.places = $0.places ?? read }
  }

  private func place(_ token: String, _ record: UploadRecord) throws -> UploadPlaces.Place {
    let written = try UploadFolder.Entry(.data, token).flatMap { try folder.modified($0) }
    return UploadPlaces.Place(
      client: record.client, length: record.length, created: record.created,
      touched: max(written ?? record.created, record.created))
  }

  /// Records that an upload received bytes.
  func touch(_ token: String, at now: Date) {
    state.withLock { $0.places?.all[token]?.touched = now }
  }

  // MARK: - Leases

  package func settle(
    _ token: String, _ check: (inout UploadRecord) throws -> Void
  ) throws -> UploadRecord {
    var record = try checkedRecord(token, check)
    if record.outcome != nil { return record }
    if let lease = state.withLock({ $0.leases[token]?.lease }), !lease.cut() {
      record = try checkedRecord(token, check)
      record.offset = record.length
      return record
    }
    guard let file = try folder.openData(token) else {
      // The upload has just been finished, or is damaged.
      record = try checkedRecord(token, check)
      guard record.outcome != nil else { throw UploadError.notFound }
      return record
    }
    defer { close(file) }
    record.offset = try safeSize(of: token, file: file, length: record.length)
    return record
  }

  package func acquireLease(
    _ token: String, _ check: (inout UploadRecord) throws -> Void
  ) throws -> (record: UploadRecord, lease: (any UploadLease)?) {
    try loadPlaces()
    var record = try checkedRecord(token, check)
    guard record.outcome == nil, let lease = try hold(token) else { return (record, nil) }
    do {
      // The upload may have been finished or removed before the file was locked.
      record = try checkedRecord(token, check)
      guard record.outcome == nil else {
        lease.release()
        return (record, nil)
      }
      record.offset = try lease.begin(length: record.length)
      touch(token, at: record.touched)
      return (record, lease)
    } catch {
      lease.release()
      throw error
    }
  }

  /// Returns an upload's record if `check` permits it. The upload of another process may have no place here yet.
  private func checkedRecord(
    _ token: String, _ check: (inout UploadRecord) throws -> Void
  ) throws -> UploadRecord {
    guard var record = try folder.record(token) else { throw UploadError.notFound }
    record.touched = state.withLock { $0.places?.all[token]?.touched } ?? .distantPast
    try check(&record)
    return record
  }

  /// Locks an upload's data file, and cuts the request that uses it. Returns `nil` if there is no data file.
  private func hold(_ token: String) throws -> FolderUploadLease? {
    // Repeats only if other requests arrive at the same time.
    for _ in 0..<4 {
      let step = try state.withLock { state -> Hold in
        if let older = state.leases[token]?.lease { return .older(older) }
        guard let file = try folder.openData(token) else { return .none }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
          let code = errno
          close(file)
          if code == EWOULDBLOCK { return .locked }
          // Without a lock another server may write the same upload.
          throw UploadError("lock", errno: code)
        }
        let lease = FolderUploadLease(token, file: file, of: self)
        state.leases[token] = Held(lease: lease)
        return .held(lease)
      }
      switch step {
      case .none: return nil
      case .held(let lease): return lease
      case .older(let lease): if !lease.cut() { throw UploadError.inUse }
      case .locked: throw UploadError.inUse
      }
    }
    throw UploadError.inUse
  }

  private enum Hold {
    case none, held(FolderUploadLease), older(FolderUploadLease), locked
  }

  /// Removes a lease that has ended. `hold` can't have created another one yet.
  func release(_ token: String) {
    state.withLock { $0.leases[token] = nil }
  }

  /// Returns the number of bytes of a data file that survive power loss. Syncs the file unless this process has already
  /// synced all of it.
  ///
  /// If that fails, any of the bytes may be missing, so the upload is deleted.
  func safeSize(of token: String, file: Int32, length: Int) throws -> Int {
    let size = try UploadFolder.size(of: file)
    if state.withLock({ $0.safe[token] }) != size {
      do {
        try UploadFolder.check("fdatasync") { Int(fdatasync(file)) }
      } catch {
        try? folder.remove(token)
        forget(token)
        throw error
      }
      folder.changed("fdatasync data")
      recordSynced(token, safe: size)
    }
    return min(size, length)
  }

  /// Records the size up to which an upload's bytes were synced.
  func recordSynced(_ token: String, safe size: Int) {
    state.withLock { $0.safe[token] = size }
  }

  /// Removes an upload that is no longer open.
  func forget(_ token: String) {
    state.withLock { state in
      state.places?.all[token] = nil
      state.safe[token] = nil
      state.leases[token] = nil
    }
  }

  // MARK: - Deleting

  package func delete(_ token: String) throws -> Bool {
    if try folder.record(token)?.outcome == nil, let lease = try hold(token) {
      defer { lease.release() }
      try lease.delete()
    } else {
      try folder.remove(token)
      forget(token)
    }
    return true
  }

  package func deleteBytes(_ token: String) throws -> Bool {
    guard let lease = try hold(token) else { return false }
    defer { lease.release() }
    try folder.removeData(token)
    forget(token)
    return true
  }

  package func inventory(at now: Date, strayAge: TimeInterval) throws -> UploadInventory {
    let files = Dictionary(grouping: try folder.entries(), by: \.token).mapValues { entries in
      Set(entries.map(\.kind))
    }
    var found = UploadInventory()
    var records: [String: UploadRecord] = [:]
    for (token, kinds) in files {
      found.countDeletion {
        var strays = kinds
        if kinds.contains(.record) {
          guard let record = try folder.record(token) else {
            let entry = UploadFolder.Entry(.record, token)
            guard let entry, try folder.modified(entry) != nil else { return false }
            // Damaged, or written by a newer version.
            throw StoreError.storage(
              operation: "decode", path: folder.path + "/" + entry.name, errno: EBADMSG)
          }
          records[token] = record
          if record.outcome != nil, kinds.contains(.data) {
            try folder.removeData(token)
            return true
          }
          strays = kinds.intersection([.newRecord])
        }
        return try removeStrays(token, strays, before: now.addingTimeInterval(-strayAge))
      }
    }
    found.records = records
    try recount(records, asOf: now)
    return found
  }

  package func byteCount() throws -> Int {
    try folder.entries().reduce(0) { sum, entry in
      var status = stat()
      let isThere = entry.kind == .data && stat(folder.path + "/" + entry.name, &status) == 0
      return sum + (isThere ? Int(status.st_size) : 0)
    }
  }

  private func removeStrays(
    _ token: String, _ kinds: Set<UploadFolder.Entry.Kind>, before date: Date
  ) throws -> Bool {
    var isRemoved = false
    for kind in kinds {
      guard let entry = UploadFolder.Entry(kind, token), let written = try folder.modified(entry),
        written < date
      else { continue }
      if try folder.remove(entry) { isRemoved = true }
    }
    return isRemoved
  }

  /// Replaces the places by those that an inventory has found, because other processes create and end uploads too.
  ///
  /// - Parameter start: the time at which the inventory began. It may have missed the records of uploads that were
  ///   created shortly before or since.
  private func recount(_ records: [String: UploadRecord], asOf start: Date) throws {
    try state.withLock { state in
      guard let known = state.places?.all else { return }
      var all = known.filter { $0.value.created > start.addingTimeInterval(-60) }
      for (token, record) in records where record.outcome == nil {
        var place = try place(token, record)
        place.touched = max(place.touched, known[token]?.touched ?? .distantPast)
        all[token] = place
      }
      state.places?.all = all
      state.safe = state.safe.filter { all[$0.key] != nil }
    }
  }
}
