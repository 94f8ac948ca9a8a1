import Announcements
import Foundation
import PhotoAttachments
import PhotoIngestion

/// A client's share of the space for announced pictures, as the bytes that it may add in 30 days. Closing or erasing an
/// announcement doesn't return any bytes earlier. Otherwise one client could write without limit.
struct PhotoShare: Sendable {
  let client: String
  let bytes: Int

  private static let days: Int64 = 30
  private static let dayMilliseconds: Int64 = 86_400_000

  /// Checks that pictures of `count` bytes may be added.
  ///
  /// - Parameter locking: locks the client's row until the transaction ends. Pass `true` if the bytes are added
  ///   afterwards.
  /// - Throws: `spaceUsedUp`.
  func check(
    adding count: Int, locking: Bool = true, at now: Int64, _ t: Transaction
  ) throws {
    let today = now / Self.dayMilliseconds
    func refusal(day: Int64) -> AnnouncementError {
      // Bytes become available again 30 days after the day when they were used.
      .spaceUsedUp(until: Date(milliseconds: (day + Self.days) * Self.dayMilliseconds))
    }
    // A picture larger than the whole share never fits.
    guard count <= bytes else { throw refusal(day: today) }
    if locking { try add(0, at: now, t) }
    let rows = try t.rows(
      "SELECT day, size FROM announced_bytes WHERE client = $1 AND day > $2 ORDER BY day",
      [.text(client), .int(today - Self.days)])
    var excess = rows.reduce(Int64(count - bytes)) { $0 + ($1.number(1) ?? 0) }
    if excess <= 0 { return }
    for row in rows {
      excess -= row.number(1) ?? 0
      if excess <= 0, let day = row.number(0) { throw refusal(day: day) }
    }
  }

  /// Counts the bytes of pictures that are added.
  func add(_ count: Int, at now: Int64, _ t: Transaction) throws {
    let today = now / Self.dayMilliseconds
    try t.execute(
      """
      INSERT INTO announced_bytes (client, day, size) VALUES ($1, $2, $3)
      ON CONFLICT (client, day) DO UPDATE SET size = announced_bytes.size + excluded.size
      """, [.text(client), .int(today), FieldValue(count)])
    guard count > 0 else { return }
    // Rows that other transactions have locked are deleted next time.
    try t.execute(
      """
      DELETE FROM announced_bytes WHERE (client, day) IN (
        SELECT client, day FROM announced_bytes WHERE day <= $1\(t.dialect.forUpdateOfFree))
      """, [.int(today - Self.days)])
  }
}

extension PreparedPhoto {
  /// The total size of its pictures in bytes.
  var pictureBytes: Int { blob.bytes.count + preview.bytes.count }
}
