package import Foundation

/// The unfinished uploads, and the rules by which `UploadRules` limits them. An upload has a place while it counts as
/// open, which is until it expires or no byte has arrived for `UploadLimits.idle`. The number of places is limited.
package struct UploadPlaces: Sendable {
  /// An unfinished upload, whether or not it still counts as open.
  package struct Place: Sendable {
    package var client: String
    package var length: Int
    package var created: Date
    /// The time at which the last bytes arrived.
    package var touched: Date

    package init(client: String, length: Int, created: Date, touched: Date) {
      self.client = client
      self.length = length
      self.created = created
      self.touched = touched
    }

    /// The number of bytes that count against the limits. At least 1 MiB, because even a small upload costs files and
    /// rows.
    fileprivate var cost: Int { max(length, 1 << 20) }
  }

  /// All unfinished uploads by token.
  package var all: [String: Place] = [:]
  /// The upload that lost its place in `reserve`.
  package private(set) var displaced: String?

  package init() {}

  /// Reserves a place for a new upload, or for one that continues after it gave up its place. If all places are taken,
  /// the client with the most uploads loses one: the upload that has waited longest for bytes.
  ///
  /// - Throws: `.tooManyOpen`, `.busy`.
  mutating func reserve(
    _ token: String, _ record: UploadRecord, _ limits: UploadLimits, now: Date
  ) throws {
    func end(_ place: Place) -> Date {
      limits.endOfPlace(created: place.created, touched: place.touched)
    }
    let placed = all.filter { $0.key != token && end($0.value) > now }
    let counts = Dictionary(grouping: placed.values, by: \.client).mapValues(\.count)
    let theirs = counts[record.client] ?? 0
    if theirs >= limits.openPerClient {
      let first = placed.values.filter { $0.client == record.client }.map(end).min() ?? now
      throw UploadError.tooManyOpen(seconds: Int(first.timeIntervalSince(now).rounded(.up)))
    }
    if placed.count >= limits.open {
      let idlest = placed.max { one, other in
        (counts[one.value.client] ?? 0, other.value.touched)
          < (counts[other.value.client] ?? 0, one.value.touched)
      }
      guard let idlest, counts[idlest.value.client] ?? 0 > theirs else { throw UploadError.busy }
      all[idlest.key]?.touched = .distantPast
      displaced = idlest.key
    }
    all[token] = Place(
      client: record.client, length: record.length, created: record.created, touched: now)
  }

  /// Returns idle uploads that must be deleted so that the unfinished uploads stay within their byte limits.
  func surplus(_ limits: UploadLimits, now: Date) -> [String] {
    let open = all.filter { $0.value.created.addingTimeInterval(limits.life) > now }
    var bytes: [String: Int] = [:]
    for upload in open.values { bytes[upload.client, default: 0] += upload.cost }
    var total = bytes.values.reduce(0, +)
    var idle = open.filter { $0.value.touched.addingTimeInterval(limits.idle) <= now }
    var surplus: [String] = []
    func mayStay(_ client: String) -> Bool {
      total <= limits.bytes && bytes[client] ?? 0 <= limits.bytesPerClient
    }
    while true {
      // Pick the longest-waiting upload of the client that uses the most bytes.
      let next = idle.filter { !mayStay($0.value.client) }.max { one, other in
        (bytes[one.value.client] ?? 0, other.value.touched)
          < (bytes[other.value.client] ?? 0, one.value.touched)
      }
      guard let (token, upload) = next else { return surplus }
      idle[token] = nil
      surplus.append(token)
      bytes[upload.client, default: 0] -= upload.cost
      total -= upload.cost
    }
  }
}
