import Foundation
import PhotoAttachments
import Synchronization
import Testing

/// A rule of databases that `FaultyDatabase` breaks on purpose.
package struct DatabaseFault: Sendable, CustomTestStringConvertible {
  /// A faulty way to run operations.
  package enum Driving: Sendable {
    case runsTwice, looksThenWrites, recordsHalves, keepsDryRuns, failsAfterTheAct
    case worksClosed, closesOverCalls, restoresTheLiving
    case tellsUnordered, tellsTwice, tellsNothingFirst, hearsForEver, tellsOnlyItsOwn
  }

  /// A change to commands that contain a text.
  package struct Edit: Sendable {
    let text, becomes: String
    let values: @Sendable (Command) -> [FieldValue]
  }

  /// The set of edits that were applied. An edit that matches no command proves nothing.
  package final class Found: Sendable {
    private let texts = Mutex<Set<String>>([])
    func note(_ edit: Edit) { texts.withLock { _ = $0.insert(edit.text) } }
    package var count: Int { texts.withLock { $0.count } }
  }

  package let name: String
  let driving: Driving?
  package let edits: [Edit]
  package let found = Found()

  package var testDescription: String { name }

  private init(_ name: String, _ driving: Driving) {
    (self.name, self.driving, edits) = (name, driving, [])
  }

  private init(_ name: String, _ edits: [(String, String)]) {
    (self.name, driving) = (name, nil)
    self.edits = edits.map { text, becomes in
      Edit(text: text, becomes: becomes) { $0.values }
    }
  }

  private init(
    _ name: String, _ text: String, values: @escaping @Sendable (Command) -> [FieldValue]
  ) {
    (self.name, driving) = (name, nil)
    edits = [Edit(text: text, becomes: text, values: values)]
  }

  private static func value(
    _ index: Int, _ becomes: FieldValue
  ) -> @Sendable (Command) -> [FieldValue] {
    { command in
      var values = command.values
      if index < values.count { values[index] = becomes }
      return values
    }
  }

  private static func column(_ name: String) -> Int {
    SealedRecord.columns.firstIndex(of: name) ?? 0
  }

  /// Faults of photos, attachments and the library.
  package static let ofPhotos: [Self] = [
    Self("runs acts twice although a picture was named", .runsTwice),
    Self("looks, lets go, then writes", .looksThenWrites),
    Self("records halves", .recordsHalves),
    Self("keeps dry runs", .keepsDryRuns),
    Self("fails after the act", .failsAfterTheAct),
    Self("works when it is closed", .worksClosed),
    Self("closes over calls under way", .closesOverCalls),
    Self("ends attempts of the living", .restoresTheLiving),
    Self("passes changes on without order", .tellsUnordered),
    Self("passes changes on twice", .tellsTwice),
    Self("passes nothing on at first", .tellsNothingFirst),
    Self("passes changes on for ever", .hearsForEver),
    Self("passes on its own changes alone", .tellsOnlyItsOwn),
    Self(
      "deletes pictures that photos refer to",
      [("FROM photo WHERE \"blobSHA256\" IN", "FROM photo WHERE 1 = 0 AND \"blobSHA256\" IN")]),
    Self(
      "deletes photos that are shared",
      [("NOT EXISTS (SELECT 1 FROM attachment WHERE attachment.photo = $1)", "1 = 1")]),
    Self(
      "repeats tickets",
      [("last_ticket = last_ticket + 1", "last_ticket = max(last_ticket, 1)")]),
    Self("loses failures", [("failure = excluded.failure", "failure = NULL")]),
    Self("loses forms", "INSERT INTO photo (", values: value(column("form"), .null)),
    Self(
      "records other fields than were sealed", "INSERT INTO photo (",
      values: value(column("uti"), .text("other"))),
    Self("pages over the last one twice", [("sequence > $1", "sequence >= $1")]),
    Self(
      "begins a page with the one before", [("sequence < $1 ORDER", "sequence <= $1 ORDER")]),
    Self(
      "takes all photos for attached ones",
      [
        (
          "OR NOT EXISTS (SELECT 1 FROM library_photo WHERE library_photo.photo = photo.\"id\")",
          "OR 1 = 1"
        )
      ]),
    Self(
      "expires what was touched at the limit",
      [
        ("attachment.updated_at,", "attachment.updated_at - 1,"),
        ("updated_at < $1 OR", "updated_at <= $1 OR"),
      ]),
    Self("forgets whose an attachment is", [("owner = excluded.owner", "owner = 'report'")]),
    Self(
      "believes any moment", [("OR updated_at NOT BETWEEN $2 AND $3", "OR $2 > $3")]),
    Self(
      "touches nothing",
      [("SET updated_at = $1 WHERE draft = $2", "SET updated_at = $1 WHERE draft = $2 AND 1 = 0")]),
    Self(
      "forgets attachments with their asset",
      [
        (
          "SET failure = 'asset-forgotten'",
          "SET failure = 'asset-forgotten', state = 'empty', photo = NULL"
        )
      ]),
    Self("loses marks", [("FROM erasure WHERE mark", "FROM erasure WHERE 1 = 0 AND mark")]),
    Self(
      "looks at paths alone",
      [("AND device = $2 AND inode = $3", "AND 1 = 0 AND device = $2 AND inode = $3")]),
    Self(
      "knows files of other digests",
      [
        ("WHERE \"sourceSHA256\" = $1 ORDER BY sequence", "WHERE $1 <> '' ORDER BY sequence")
      ]),
    Self(
      "finds similar photos in another order",
      [("ORDER BY bits, other.photo", "ORDER BY bits DESC, other.photo")]),
    Self(
      "finds originals in another order",
      [("ORDER BY is_source DESC, path", "ORDER BY is_source, path DESC")]),
    Self(
      "finds beginnings in another order",
      [("ORDER BY \"id\" LIMIT $3", "ORDER BY \"id\" DESC LIMIT $3")]),
    Self(
      "finds beginnings within ids",
      [("\"id\" >= $1 AND \"id\" < $2", "instr(\"id\", $1) > 0 AND $2 <> ''")]),
    Self(
      "leaves hashes unsealed", "UPDATE library_photo SET perceptual_hash",
      values: value(2, .text(""))),
    Self(
      "takes pictures of any size for twins", [("WHERE \"blobWidth\" = $1 AND", "WHERE $1 > 0 AND")]
    ),
    Self(
      "keeps sizes of photos that are gone",
      [("FROM photo_size WHERE photo = $1", "FROM photo_size WHERE 1 = 0 AND photo = $1")]),
    Self(
      "shows sizes of any blob", [("AND photo.\"blobSHA256\" = photo_size.blob", "")]),
    Self("trims the newest sizes", [("OVER (ORDER BY used_at DESC", "OVER (ORDER BY used_at")]),
    Self(
      "forgets digests of sizes",
      [("UPDATE photo_size SET is_stored = 0 WHERE", "DELETE FROM photo_size WHERE")]),
  ]

  /// Faults of drafts.
  package static let ofDrafts: [Self] = [
    Self("looks, lets go, then writes", .looksThenWrites),
    Self("keeps dry runs", .keepsDryRuns),
    Self("writes over anything", [("WHERE id = $1 AND revision = $8", "WHERE id = $1 AND $8 > 0")]),
    Self(
      "repeats revisions", "report_draft",
      values: { command in
        guard command.sql.contains("content") && command.values.count == 8 else {
          return command.values
        }
        return value(3, .int(7))(command)
      }),
    Self("deletes drafts with ids alike", [("WHERE id = $1", "WHERE lower(id) = lower($1)")]),
    Self("orders by id", [("ORDER BY updated_at, id", "ORDER BY id")]),
    Self(
      "expires what was written at the limit",
      [("FROM report_draft WHERE updated_at < $1", "FROM report_draft WHERE updated_at <= $1")]),
    Self(
      "expires drafts whose photo was touched",
      [("attachment.updated_at >= $1", "attachment.updated_at >= $1 AND 1 = 0")]),
    Self(
      "counts drafts with photos",
      [("AND NOT EXISTS (SELECT 1 FROM attachment WHERE draft = report_draft.id)", "")]),
    Self(
      "loses milliseconds", "INSERT INTO report_draft",
      values: { command in
        value(2, .int((command.values[2].number ?? 0) / 1000 * 1000))(command)
      }),
    Self("changes its secret", [("SELECT secret FROM", "SELECT randomblob(32) FROM")]),
    Self(
      "lets drafts give way that are loading", [("coalesce(state, '') <> 'loading'", "1 = 1")]),
    Self(
      "lets drafts give way that are being submitted",
      [("content NOT LIKE '%\"submission\":%' OR", "1 = 1 OR")]),
    Self(
      "lets drafts of this machine give way", [("AND client IS NOT NULL", "AND 1 = 1")]),
    Self("forgets shares of clients", [("AND client = $3", "AND client = $3 AND 1 = 0")]),
    Self(
      "lets the newest give way", [("END, report_draft.id", "END DESC, report_draft.id")]),
  ]
}
