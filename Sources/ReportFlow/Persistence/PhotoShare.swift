import Announcements
import Foundation
import PhotoAttachments
import PhotoIngestion

/// A client's share of the space of announced pictures: the bytes that it may add in 30 days. Neither closing
/// nor erasing gives any of them back earlier, or one client could write without end.
struct PhotoShare: Sendable {
  /// Whose share it is.
  let client: String
  /// How many bytes it has.
  let bytes: Int

  private static let days: Int64 = 30
  private static let dayMilliseconds: Int64 = 86_400_000

  /// Checks that pictures of so many bytes may be added.
  ///
  /// - Parameter locking: whether to lock the client's row until this transaction ends; true when the bytes are
  ///   then added.
  /// - Throws: `spaceUsedUp`.
  func check(
    adding count: Int, locking: Bool = true, at now: Int64, _ t: Transaction
  ) throws {
    let today = now / Self.dayMilliseconds
    func refusal(day: Int64) -> AnnouncementError {
      // Bytes of a day are back when it's 30 days ago.
      .spaceUsedUp(until: Date(milliseconds: (day + Self.days) * Self.dayMilliseconds))
    }
    // More than the whole share has room on no day.
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

  /// Counts bytes of pictures that are added.
  func add(_ count: Int, at now: Int64, _ t: Transaction) throws {
    let today = now / Self.dayMilliseconds
    try t.run(
      """
      INSERT INTO announced_bytes (client, day, size) VALUES ($1, $2, $3)
      ON CONFLICT (client, day) DO UPDATE SET size = announced_bytes.size + excluded.size
      """, [.text(client), .int(today), FieldValue(count)])
    guard count > 0 else { return }
    // Rows that another transaction locks go the next time.
    try t.run(
      """
      DELETE FROM announced_bytes WHERE (client, day) IN (
        SELECT client, day FROM announced_bytes WHERE day <= $1\(t.dialect.forUpdateOfFree))
      """, [.int(today - Self.days)])
  }
}

extension PreparedPhoto {
  /// Bytes that its pictures take.
  var pictureBytes: Int { blob.bytes.count + preview.bytes.count }
}
