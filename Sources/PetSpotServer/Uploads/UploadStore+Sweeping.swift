import Foundation
import PhotoAttachments

extension UploadStore {
  /// Deletes what is due: the bytes of expired uploads, what is not remembered any more, and files
  /// that belong to no upload. What is in use is left for the next time. Run it every few minutes.
  ///
  /// One file that cannot be deleted keeps none of the others.
  ///
  /// - Returns: how many uploads' files were deleted.
  /// - Throws: the first failure, after all is done.
  @discardableResult
  func sweep() throws(UploadError) -> Int {
    let start = now()
    let files = Dictionary(grouping: try folder.entries(), by: \.token).mapValues { entries in
      Set(entries.map(\.kind))
    }
    var (count, failure) = (0, UploadError?.none)
    var records: [String: (UploadRecord, touched: Date?)] = [:]
    for (token, kinds) in files {
      do throws(UploadError) {
        if try sweep(token, kinds, start, &records) { count += 1 }
      } catch {
        if failure == nil, error != .inUse { failure = error }
      }
    }
    recount(records, asOf: start)
    if let failure { throw failure }
    return count
  }

  /// - Parameter records: gets the upload's record, when it stays.
  /// - Returns: whether anything was deleted.
  private func sweep(
    _ token: String, _ kinds: Set<UploadFolder.Entry.Kind>, _ start: Date,
    _ records: inout [String: (UploadRecord, touched: Date?)]
  ) throws(UploadError) -> Bool {
    guard kinds.contains(.record) else { return try removeStray(token, kinds, start) }
    guard let record = try folder.record(token) else {
      // Damaged: it is of no use.
      try folder.remove(token)
      return true
    }
    switch record.stage(at: start, limits) {
    case .open:
      records[token] = (record, touched(token))
      return try removeStray(token, kinds.intersection([.newRecord]), start)
    case .finished:
      guard kinds.contains(.data) else { return false }
      try folder.removeData(token)
      return true
    case .expired:
      guard kinds.contains(.data), let writer = try hold(token, record) else { return false }
      try folder.removeData(token)
      writer.close()
      forget(token)
      return true
    case .over:
      let writer = record.outcome == nil ? try hold(token, record) : nil
      try folder.remove(token)
      writer?.close()
      forget(token)
      return true
    }
  }

  private func removeStray(
    _ token: String, _ kinds: Set<UploadFolder.Entry.Kind>, _ start: Date
  ) throws(UploadError) -> Bool {
    var isRemoved = false
    for kind in kinds {
      guard let entry = UploadFolder.Entry(kind, token), let written = folder.modified(entry),
        start.timeIntervalSince(written) > limits.strayAge
      else { continue }
      if try folder.remove(entry) { isRemoved = true }
    }
    return isRemoved
  }
}

extension UploadRecord {
  /// Where the upload is in its life.
  func stage(at now: Date, _ limits: UploadLimits) -> UploadLimits.Stage {
    limits.stage(created: created, finished: finished, at: now)
  }
}
