import ImageContainers
import PhotoAttachments

/// What PostgreSQL says in its own way. Many write at once, and hold rows of what they depend on, or
/// numbers (advisory locks) of what no row stands for.
struct PostgresDialect: Dialect {
  let forUpdate = " FOR UPDATE"
  let forShare = " FOR SHARE"
  let forKeyShare = " FOR KEY SHARE"
  let forUpdateOfFree = " FOR UPDATE SKIP LOCKED"
  /// Whatever order the database is set to.
  let byBytes = " COLLATE \"C\""
  let secretTable = "store"

  func holding(_ lock: Lock) -> [Command] {
    switch lock {
    case .newDraft(let draft):
      [Self.holding(text: draft, 1_346_720_848)]
    case .chip(let chip): [Self.holding(text: chip, 1_346_720_849)]
    case .client(let client): [Self.holding(text: client, 1_346_720_850)]
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
      // In one order, so that two acts never wait for each other.
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

  private static func holding(text: String, _ kind: Int) -> Command {
    Command("SELECT pg_advisory_xact_lock(hashtextextended($1, \(kind)))", [.text(text)])
  }

  // MARK: - Pictures

  /// Makes the rows of `stored_blob` that are missing. In one order, so that two who hold several never
  /// wait for each other.
  func holding(_ pictures: Set<BlobPath>) -> Question<HeldPictures> {
    let pictures = pictures.sorted { $0.relativePath < $1.relativePath }
    return Question(
      """
      INSERT INTO stored_blob (kind, sha256, format)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
      ON CONFLICT (kind, sha256, format) DO UPDATE SET held_at = now()
      RETURNING kind, sha256, format, id
      """, Self.lists(pictures)
    ) { answer in
      var held = HeldPictures()
      for row in answer.rows {
        if let picture = Self.picture(row) { held.ids[picture] = row.number(3) }
      }
      return held
    }
  }

  /// Pictures as three lists: kinds, digests, formats.
  private static func lists(_ pictures: [BlobPath]) -> [FieldValue] {
    [
      .array(pictures.map(\.kind.rawValue)), .array(pictures.map(\.sha256)),
      .array(pictures.map(\.format.rawValue)),
    ]
  }

  private static func picture(_ row: AnswerRow) -> BlobPath? {
    guard let kind = row.text(0).flatMap(BlobPath.Kind.init(rawValue:)),
      let digest = row.text(1), let format = row.text(2).flatMap(ImageFormat.init(rawValue:))
    else { return nil }
    return BlobPath(kind, sha256: digest, format: format)
  }

  let pictureColumns = BlobPath.Kind.ofRecords.map { "stored_" + $0.column }

  private static let isNumbered = """
    (EXISTS (SELECT 1 FROM photo WHERE photo.stored_blob = stored_blob.id)
      OR EXISTS (SELECT 1 FROM photo WHERE photo.stored_preview = stored_blob.id)
      OR stored_blob.kind = 'sizes' AND EXISTS (SELECT 1 FROM photo_size
        WHERE photo_size.sha256 = stored_blob.sha256 AND photo_size.format = stored_blob.format
          AND is_stored = 1))
    """

  func dropping(_ held: HeldPictures) -> [Command] {
    if held.ids.isEmpty { return [] }
    return [
      Command(
        "DELETE FROM stored_blob WHERE id = ANY($1) AND NOT \(Self.isNumbered)",
        [.array(held.ids.values.sorted())])
    ]
  }

  func numbered(_ pictures: Set<BlobPath>) -> Question<Set<BlobPath>> {
    Question(
      """
      SELECT kind, sha256, format FROM stored_blob
      WHERE (kind, sha256, format) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))
        AND \(Self.isNumbered)
      """, Self.lists(Array(pictures))
    ) { Set($0.rows.compactMap(Self.picture)) }
  }

  // MARK: - Words

  func among(_ list: String) -> String {
    "= ANY(ARRAY(SELECT json_array_elements_text(\(list)::json)))"
  }

  func rows(_ list: String, _ columns: [(name: String, type: String)]) -> String {
    let values = columns.enumerated().map { "(value->>\($0))::\($1.type) AS \($1.name)" }
    return "(SELECT \(values.joined(separator: ", ")) "
      + "FROM json_array_elements(\(list)::json)) AS rows"
  }

  func typed(_ value: String, _ type: String) -> String { "\(value)::\(type)" }

  func differingBits(_ one: String, _ other: String) -> String {
    "bit_count((\(one) # \(other))::bit(64))"
  }

  /// The seconds of the server's clock and a number that counts up, so that not even a server that
  /// forgot its last numbers repeats one.
  let ticket = Command(
    """
    SELECT extract(epoch FROM clock_timestamp())::bigint << 31
      | (nextval('ticket') & 2147483647)
    """)

  func isSeen(_ worker: String) -> String {
    """
    COALESCE((SELECT seen_at > clock_timestamp() - interval '\(Heart.life) seconds'
      FROM worker AS process WHERE process.id = \(worker)), false)
    """
  }

  func telling(_ draft: String) -> [Command] {
    [
      Command(
        "SELECT pg_notify('\(Listener.channel)', $1)", [.text(Listener.payload(draft))])
    ]
  }

  let waiting = [Command("SET LOCAL idle_in_transaction_session_timeout = 0", isRepeated: false)]
  let tidying = [
    Command("DELETE FROM worker WHERE seen_at < now() - interval '1 day'"),
    Command(CommitMark.deleteOld),
  ]
  let isAnnounced = "EXISTS (SELECT 1 FROM announcement WHERE announcement.photo_id = $1)"
  let photoReferences = Command(
    "VALUES ('attachment', 'photo'), ('library_photo', 'photo'), ('announcement', 'photo_id')")
}
