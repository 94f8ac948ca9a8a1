import Foundation
import PhotoAttachments

/// How many uploads are open, by client. Those that other processes make on the same folder count
/// from the next sweep on.
struct UploadTally: Sendable {
  private let limits: UploadLimits
  private var open: [String: Open] = [:]

  private struct Open {
    var client: String
    var created: Date
    var expires: Date
  }

  /// Nothing yet.
  init(limits: UploadLimits) { self.limits = limits }

  /// Counts an upload that is there, unless it is finished.
  mutating func add(_ token: String, _ record: UploadRecord) {
    guard record.outcome == nil else { return }
    open[token] = Open(
      client: record.client, created: record.created,
      expires: record.created.addingTimeInterval(limits.life))
  }

  /// Counts a new upload, if there is a place for it.
  ///
  /// - Throws: `.tooManyOpen`, `.busy`.
  mutating func reserve(
    _ token: String, _ record: UploadRecord, now: Date
  ) throws(UploadError) {
    let living = open.values.filter { $0.expires > now }
    let theirs = living.filter { $0.client == record.client }
    if theirs.count >= limits.openPerClient {
      let first = theirs.map(\.expires).min() ?? now
      throw .tooManyOpen(seconds: Int(first.timeIntervalSince(now).rounded(.up)))
    }
    guard living.count < limits.open else { throw .busy }
    add(token, record)
  }

  /// An upload is not open any more.
  mutating func remove(_ token: String) { open[token] = nil }

  /// Whether an upload is open.
  func contains(_ token: String) -> Bool { open[token] != nil }

  /// Counts anew.
  ///
  /// - Parameters:
  ///   - records: what is open.
  ///   - start: when looking began. What was made shortly before or since may have had no record yet.
  mutating func recount(_ records: [String: UploadRecord], asOf start: Date) {
    open = open.filter { $0.value.created > start.addingTimeInterval(-60) }
    for (token, record) in records { add(token, record) }
  }
}
