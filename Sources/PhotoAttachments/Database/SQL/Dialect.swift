import ImageContainers

/// The differences between the databases' SQL. All other SQL is shared. It quotes the names of a photo's fields, and
/// `$1` is the first value.
///
/// SQLite runs one writing transaction at a time, so it needs no locks. In PostgreSQL many transactions write at once.
/// They lock the rows that they depend on, or numbers (advisory locks) if no row exists for something.
package enum Dialect: Sendable {
  case sqlite, postgres

  private func only(_ text: String) -> String { self == .postgres ? text : "" }
  private func only(_ commands: Command...) -> [Command] { self == .postgres ? commands : [] }

  // MARK: - Row locks

  /// Ends a SELECT that locks its rows, so that other transactions can't change or delete them.
  package var forUpdate: String { only(" FOR UPDATE") }
  /// Ends a SELECT that locks its rows against changes. Several transactions may hold such a lock.
  package var forShare: String { only(" FOR SHARE") }
  /// Ends a SELECT that locks its rows against deletion. Other transactions may still change them and refer to them.
  package var forKeyShare: String { only(" FOR KEY SHARE") }
  /// Ends a SELECT that locks its rows and skips those that another transaction has locked.
  package var forUpdateOfFree: String { only(" FOR UPDATE SKIP LOCKED") }

  // MARK: - Expressions

  /// Follows a text to compare it by its bytes, whatever the database's collation.
  package var byBytes: String { only(" COLLATE \"C\"") }

  /// Returns a condition that a value is in a list (`FieldValue.list`). The value comes before it.
  package func among(_ list: String) -> String {
    switch self {
    case .sqlite: "IN (SELECT value FROM json_each(\(list)))"
    case .postgres: "= ANY(ARRAY(SELECT json_array_elements_text(\(list)::json)))"
    }
  }

  /// Returns a condition that a text contains another one.
  package func contains(_ text: String, _ part: String) -> String {
    self == .sqlite ? "instr(\(text), \(part)) > 0" : "strpos(\(text), \(part)) > 0"
  }

  /// Returns a table with the rows of a list (`FieldValue.list`) of lists of texts.
  package func rows(_ list: String, _ columns: [(name: String, type: String)]) -> String {
    let values = columns.enumerated().map { index, column in
      switch self {
      case .sqlite: "json_extract(value, '$[\(index)]') AS \(column.name)"
      case .postgres: "(value->>\(index))::\(column.type) AS \(column.name)"
      }
    }.joined(separator: ", ")
    switch self {
    case .sqlite: return "(SELECT \(values) FROM json_each(\(list)))"
    case .postgres: return "(SELECT \(values) FROM json_array_elements(\(list)::json))"
    }
  }

  /// Adds the type to a value whose type PostgreSQL can't infer.
  package func typed(_ value: String, _ kind: Table.Kind) -> String {
    value + only("::\(type(of: kind))")
  }

  private func type(of kind: Table.Kind) -> String {
    switch kind {
    case .text, .key: "text"
    case .integer, .number, .sequence: self == .sqlite ? "integer" : "bigint"
    case .real: self == .sqlite ? "real" : "double precision"
    case .bytes: self == .sqlite ? "blob" : "bytea"
    case .flag: self == .sqlite ? "integer" : "boolean"
    }
  }

  /// Returns the SQL that creates a table.
  package func creation(of table: Table) -> String {
    let columns = table.columns.map { column in
      let kind =
        switch column.kind {
        case .key: byBytes
        case .number, .sequence:
          (self == .postgres ? " GENERATED ALWAYS AS IDENTITY" : "") + " PRIMARY KEY"
            + (self == .sqlite && column.kind == .sequence ? " AUTOINCREMENT" : "")
        default: ""
        }
      return "\"\(column.name)\" \(type(of: column.kind))\(kind) \(column.rest)"
    }
    let end = self == .postgres ? "" : table.isKeyed ? " STRICT, WITHOUT ROWID" : " STRICT"
    let lines = (columns + table.rules).joined(separator: ", ")
    return "CREATE TABLE \(table.name) (\(lines))\(end);\n"
  }

  /// Returns the number of bits in which two numbers differ. In SQLite, each connection defines a function for this.
  package func differingBits(_ one: String, _ other: String) -> String {
    switch self {
    case .sqlite: "differing_bits(\(one), \(other))"
    case .postgres: "bit_count((\(one) # \(other))::bit(64))"
    }
  }

  /// Selects the tables and columns that refer to photos and keep them from being deleted, and the column of photos that
  /// they refer to, without those of this module. A reference without a column refers to the primary key.
  var photoReferences: String {
    switch self {
    case .sqlite:
      """
      SELECT '`main`.`' || replace(name, '`', '``') || '`', '`' || replace("from", '`', '``') || '`',
        lower(coalesce("to", 'sequence'))
      FROM sqlite_master JOIN pragma_foreign_key_list(name, 'main')
      WHERE type = 'table' AND lower("table") = 'photo' AND lower(coalesce("to", 'sequence')) IN ('id', 'sequence')
        AND on_delete IN ('NO ACTION', 'RESTRICT') AND name NOT IN ('attachment', 'library_photo')
      """
    case .postgres:
      """
      SELECT conrelid::regclass::text, quote_ident(named.attname), id.attname::text FROM pg_constraint
      JOIN pg_attribute AS named ON named.attrelid = conrelid AND named.attnum = conkey[1]
      JOIN pg_attribute AS id ON id.attrelid = confrelid AND id.attnum = confkey[1]
      WHERE id.attname IN ('id', 'sequence') AND contype = 'f' AND confrelid = 'photo'::regclass AND confdeltype IN ('a', 'r')
        AND conrelid NOT IN ('attachment'::regclass, 'library_photo'::regclass)
      """
    }
  }

  /// Selects the highest number that a photo ever had. The result has no row if no photo was ever recorded, and NULL if
  /// this user isn't allowed to read the number.
  var lastPhotoNumber: String {
    switch self {
    case .sqlite: "SELECT seq FROM sqlite_sequence WHERE name = 'photo'"
    case .postgres:
      """
      SELECT CASE WHEN has_sequence_privilege(name, 'USAGE, SELECT')
        THEN coalesce(greatest((SELECT max(sequence) FROM photo), pg_sequence_last_value(name)), 0)
        END FROM \(Self.photoSequence)
      """
    }
  }

  /// Makes the numbers of new photos start after this one, if this user is allowed to do that.
  func skippingPhotoNumbers(to number: Int64) -> [Command] {
    switch self {
    case .sqlite:
      [
        Command("DELETE FROM sqlite_sequence WHERE name = 'photo'"),
        Command("INSERT INTO sqlite_sequence (name, seq) VALUES ('photo', $1)", [.int(number)]),
      ]
    case .postgres:
      [
        Command(
          """
          SELECT CASE WHEN has_sequence_privilege(name, 'UPDATE') THEN setval(name, $1) END
          FROM \(Self.photoSequence)
          """, [.int(number)])
      ]
    }
  }

  private static let photoSequence =
    "CAST(pg_get_serial_sequence('photo', 'sequence') AS regclass) AS name"

  // MARK: - Attempts

  /// Returns a ticket that was never issued before. In PostgreSQL it combines the seconds of the server's clock with a
  /// counter, so a server that has lost the counter's last values doesn't repeat a ticket either.
  package var ticket: Command {
    switch self {
    case .sqlite: Command("UPDATE store SET last_ticket = last_ticket + 1 RETURNING last_ticket")
    case .postgres:
      Command(
        """
        SELECT extract(epoch FROM clock_timestamp())::bigint << 31
          | (nextval('ticket') & 2147483647)
        """)
    }
  }

  /// The time in seconds after which a process without a sign of life counts as dead. SQLite uses locks instead.
  package static let life = 30

  /// Returns a condition that the process in a `worker` column was alive recently. It is always false in SQLite, which
  /// uses the process's lock instead.
  package func isSeen(_ worker: String) -> String {
    switch self {
    case .sqlite: "false"
    case .postgres:
      """
      COALESCE((SELECT seen_at > clock_timestamp() - interval '\(Self.life) seconds'
        FROM worker AS process WHERE process.id = \(worker)), false)
      """
    }
  }

  /// The notification channel for changes of an attachment's state.
  package static let channel = "petspot_attachment"

  /// Notifies other processes after the commit that a draft's state has changed. A draft name that is too long for a
  /// notification (8,000 bytes; PostgreSQL documentation, NOTIFY) is sent as an empty text. Notifications are only
  /// hints, and receivers read the state themselves. With SQLite, processes poll.
  package func notifying(_ draft: String) -> [Command] {
    only(
      Command(
        "SELECT pg_notify('\(Self.channel)', $1)", [.text(draft.utf8.count < 7900 ? draft : "")]))
  }

  // MARK: - Upkeep

  /// Lets a transaction stay idle for as long as a disk takes.
  package var waiting: [Command] {
    only(Command("SET LOCAL idle_in_transaction_session_timeout = 0", isRepeated: false))
  }

  /// Deletes old rows of the database's internal tables during each sweep. Skips rows that another transaction is
  /// writing.
  package var tidying: [Command] {
    only(
      Command("DELETE FROM worker WHERE seen_at < now() - interval '1 day'"),
      Command(
        """
        DELETE FROM last_commit WHERE connection IN (
          SELECT connection FROM last_commit WHERE at < now() - interval '1 day'
          FOR UPDATE SKIP LOCKED)
        """))
  }
}

// MARK: - Locks without a row

extension Dialect {
  /// Returns the commands that take a lock. There are none in SQLite, where only one transaction writes at a time.
  package func locking(_ lock: Lock) -> [Command] {
    if self == .sqlite { return [] }
    return switch lock {
    case .newDraft(let draft):
      [Self.locking(text: draft, 1_346_720_848)]
    case .chip(let chip): [Self.locking(text: chip, 1_346_720_849)]
    case .client(let client): [Self.locking(text: client, 1_346_720_850)]
    case .draftSpace: [Command("SELECT pg_advisory_xact_lock(1346720848, 7)")]
    case .announcement(let id):
      [Command("SELECT 1 FROM announcement WHERE id = $1 FOR KEY SHARE", [.text(id)])]
    case .photo(let id): [Command("SELECT 1 FROM photo WHERE \"id\" = $1 FOR UPDATE", [.text(id)])]
    case .digests(let digests):
      [
        Command(
          "SELECT pg_advisory_xact_lock(number) FROM unnest($1::bigint[]) AS number",
          [
            .array(
              Set(digests.compactMap { UInt64($0.prefix(16), radix: 16) })
                .map { Int64(bitPattern: $0) }.sorted())
          ])
      ]
    case .objects(let pictures, let place):
      // In a fixed order, so that two transactions never wait for each other.
      [
        Command(
          """
          SELECT pg_advisory_xact_lock(number) FROM (
            SELECT DISTINCT hashtextextended($1::text || picture, 0) AS number
            FROM unnest($2::text[]) AS picture ORDER BY number OFFSET 0) AS numbers
          """, [place, .array(pictures.map(\.relativePath))])
      ]
    case .erasures: [Command("SELECT pg_advisory_xact_lock(1346720848, 2)")]
    case .newRecords: [Command("SELECT pg_advisory_xact_lock_shared(1346720848, 2)")]
    }
  }

  private static func locking(text: String, _ kind: Int) -> Command {
    Command("SELECT pg_advisory_xact_lock(hashtextextended($1, \(kind)))", [.text(text)])
  }
}

// MARK: - Pictures

/// PostgreSQL locks a picture by its row in `stored_blob`.
extension Dialect {
  /// Locks pictures. Missing rows are inserted in a fixed order, so that two transactions that lock several pictures
  /// never wait for each other.
  package func locking(_ pictures: Set<BlobPath>) -> Query<LockedPictures> {
    if self == .sqlite { return Query(known: LockedPictures()) }
    let pictures = pictures.sorted { $0.relativePath < $1.relativePath }
    return Query(
      """
      INSERT INTO stored_blob (kind, sha256, format)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
      ON CONFLICT (kind, sha256, format) DO UPDATE SET held_at = now()
      RETURNING kind, sha256, format, id
      """, Self.lists(pictures)
    ) { answer in
      var locked = LockedPictures()
      for row in answer.rows {
        if let picture = Self.picture(row) { locked.ids[picture] = row.number(3) }
      }
      return locked
    }
  }

  /// Returns pictures as three lists: kinds, digests and formats.
  private static func lists(_ pictures: [BlobPath]) -> [FieldValue] {
    [
      .array(pictures.map(\.kind.rawValue)), .array(pictures.map(\.sha256)),
      .array(pictures.map(\.format.rawValue)),
    ]
  }

  /// Returns the picture in the first three columns of a row.
  static func picture(_ row: ResultRow) -> BlobPath? {
    row.text(0).flatMap(BlobPath.Kind.init(rawValue:)).flatMap {
      BlobPath($0, sha256: row.text(1), format: row.text(2))
    }
  }

  /// The columns of a photo that contain the numbers of its blob and its preview.
  package var pictureColumns: [String] {
    self == .postgres ? BlobPath.Kind.ofRecords.map { "stored_" + $0.column } : []
  }

  private static let isNumbered = """
    (EXISTS (SELECT 1 FROM photo WHERE photo.stored_blob = stored_blob.id)
      OR EXISTS (SELECT 1 FROM photo WHERE photo.stored_preview = stored_blob.id)
      OR stored_blob.kind = 'sizes' AND EXISTS (SELECT 1 FROM photo_size
        WHERE photo_size.sha256 = stored_blob.sha256 AND photo_size.format = stored_blob.format
          AND is_stored = 1))
    """

  /// Deletes the rows of locked pictures that no photo refers to.
  package func dropping(_ locked: LockedPictures) -> [Command] {
    if locked.ids.isEmpty { return [] }
    return [
      Command(
        "DELETE FROM stored_blob WHERE id = ANY($1) AND NOT \(Self.isNumbered)",
        [.array(locked.ids.values.sorted())])
    ]
  }

  /// Returns those of the pictures that records refer to by number.
  package func numbered(_ pictures: Set<BlobPath>) -> Query<Set<BlobPath>> {
    if self == .sqlite { return Query(known: []) }
    return Query(
      """
      SELECT kind, sha256, format FROM stored_blob
      WHERE (kind, sha256, format) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))
        AND \(Self.isNumbered)
      """, Self.lists(Array(pictures))
    ) { Set($0.rows.compactMap(Self.picture)) }
  }
}

extension FieldValue {
  /// Creates a list for `= ANY($1)` or `unnest($1)` in PostgreSQL's array syntax.
  package static func array(_ values: some Sequence<String>) -> FieldValue {
    let quoted = values.map { value in
      "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
    return .text("{" + quoted.joined(separator: ",") + "}")
  }

  package static func array(_ values: some Sequence<Int64>) -> FieldValue {
    .text("{" + values.map(String.init).joined(separator: ",") + "}")
  }

  /// Creates a list of byte strings for `= ANY($1)` or `unnest($1)` in PostgreSQL's array syntax.
  package static func array(bytes values: some Sequence<[UInt8]>) -> FieldValue {
    array(values.map(hex))
  }

  /// Returns bytes in PostgreSQL's hexadecimal format.
  package static func hex(_ data: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("\\x".utf8)
    text.reserveCapacity(2 + 2 * data.count)
    for byte in data {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
