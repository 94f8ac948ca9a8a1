import Foundation
import PhotoAttachments

/// How many uploads are open, by client. Those that other processes make on the same folder count
/// from the next sweep on.
struct UploadTally: Sendable {
  private let limits: UploadLimits
  private var open: [String: Open] = [:]

  private struct Open {
    var client: String
    var length: Int
    var created: Date
    /// When bytes came last.
    var touched: Date
  }

  /// Nothing yet.
  init(limits: UploadLimits) { self.limits = limits }

  /// Counts an upload that is there, unless it is finished.
  ///
  /// - Parameter touched: when bytes came last; nil when that is not known.
  mutating func add(_ token: String, _ record: UploadRecord, touched: Date?) {
    guard record.outcome == nil else { return }
    let known = open[token]?.touched ?? record.created
    open[token] = Open(
      client: record.client, length: record.length, created: record.created,
      touched: max(touched ?? known, known))
  }

  /// Counts a new upload, or one that goes on after it gave up its place. When all places are taken, one
  /// of the client with the most becomes free: that of the upload that waited longest for bytes.
  ///
  /// - Throws: `.tooManyOpen`, `.busy`.
  mutating func reserve(
    _ token: String, _ record: UploadRecord, now: Date
  ) throws(UploadError) {
    let placed = open.filter { $0.key != token && end(of: $0.value) > now }
    let counts = Dictionary(grouping: placed.values, by: \.client).mapValues(\.count)
    let theirs = counts[record.client] ?? 0
    if theirs >= limits.openPerClient {
      let first = placed.values.filter { $0.client == record.client }.map(end(of:)).min() ?? now
      throw .tooManyOpen(seconds: Int(first.timeIntervalSince(now).rounded(.up)))
    }
    if placed.count >= limits.open {
      let idlest = placed.max { one, other in
        (counts[one.value.client] ?? 0, other.value.touched)
          < (counts[other.value.client] ?? 0, one.value.touched)
      }
      guard let idlest, counts[idlest.value.client] ?? 0 > theirs else { throw .busy }
      open[idlest.key]?.touched = .distantPast
    }
    add(token, record, touched: now)
  }

  /// Counts an upload to which bytes are added, if it has no place.
  mutating func goOn(_ token: String, _ record: UploadRecord, now: Date) throws(UploadError) {
    if let known = open[token], end(of: known) > now {
      touch(token, now: now)
    } else {
      try reserve(token, record, now: now)
    }
  }

  /// Uploads without a place that have to go, so that what is unfinished keeps within its bytes.
  func surplus(now: Date) -> [String] {
    func cost(_ open: Open) -> Int { UploadLimits.cost(ofLength: open.length) }
    var bytes: [String: Int] = [:]
    for upload in open.values { bytes[upload.client, default: 0] += cost(upload) }
    var total = bytes.values.reduce(0, +)
    var idle = open.filter { end(of: $0.value) <= now }
    var surplus: [String] = []
    func mayStay(_ client: String) -> Bool {
      total <= limits.bytes && bytes[client] ?? 0 <= limits.bytesPerClient
    }
    while true {
      // Of the client with the most, the one that waited longest.
      let next = idle.filter { !mayStay($0.value.client) }.max { one, other in
        (bytes[one.value.client] ?? 0, other.value.touched)
          < (bytes[other.value.client] ?? 0, one.value.touched)
      }
      guard let (token, upload) = next else { return surplus }
      idle[token] = nil
      surplus.append(token)
      bytes[upload.client, default: 0] -= cost(upload)
      total -= cost(upload)
    }
  }

  /// Bytes came.
  mutating func touch(_ token: String, now: Date) { open[token]?.touched = now }

  /// An upload is not open any more.
  mutating func remove(_ token: String) { open[token] = nil }

  /// Whether an upload is open.
  func contains(_ token: String) -> Bool { open[token] != nil }

  /// Counts anew.
  ///
  /// - Parameters:
  ///   - records: what is open, and when bytes came last.
  ///   - start: when looking began. What was made shortly before or since may have had no record yet.
  mutating func recount(_ records: [String: (UploadRecord, touched: Date?)], asOf start: Date) {
    let known = open
    open = open.filter { $0.value.created > start.addingTimeInterval(-60) }
    for (token, (record, touched)) in records {
      open[token] = open[token] ?? known[token]
      add(token, record, touched: touched)
    }
  }

  private func end(of open: Open) -> Date {
    limits.endOfPlace(created: open.created, touched: open.touched)
  }
}
