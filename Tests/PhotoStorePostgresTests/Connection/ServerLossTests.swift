import Foundation
import Glibc
import PhotoAttachments
import ReportFlow
import TestPostgres
import TestPictures
import TestStores
import Testing

@testable import PhotoStorePostgres

/// Tests of broken connections, servers that are down, and foreign tables.
@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct ServerLossTests {
  let database: TestDatabase

  init() throws { database = try TestDatabase() }

  /// Ends all connections to the database except our own.
  private func breakConnections() throws {
    try database.sql(
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)
  }

  @Test("Idle connections that broke are replaced")
  func brokenIdle() throws {
    let catalog = try database.open()
    let ticket = try catalog.begin(draft: "a", at: Date())
    try breakConnections()
    #expect(
      try catalog.attachment(draft: "a")?.machine == .init(.loading(ticket, previous: nil)))
    try breakConnections()
    _ = try catalog.handle(.failed(ticket, code: "corrupt"), draft: "a", at: Date())
    #expect(try catalog.attachment(draft: "a")?.machine.failure == "corrupt")
  }

  @Test(
    "A call that throws did nothing, and a call that returns took effect, even if connections keep breaking"
  )
  func brokenInUse() throws {
    let catalog = try database.open()
    let isOver = Shared(false)
    let breaker = DispatchQueue(label: "breaker")
    breaker.async {
      while !isOver.value {
        try? breakConnections()
        usleep(3000)
      }
    }
    var confirmed: Set<String> = []
    for number in 0..<60 {
      let draft = "draft \(number)"
      // If the call throws, it must not have taken effect.
      if (try? catalog.handle(.pick(Int64(number)), draft: draft, at: Date())) != nil {
        confirmed.insert(draft)
      }
    }
    isOver.change { $0 = true }
    breaker.sync {}
    let rows = try database.sql("SELECT draft FROM attachment")
    #expect(Set(rows.split(separator: "\n").map(String.init)) == confirmed)
  }

  @Test(
    "A transaction whose connection breaks during the commit is rolled back and reported as such")
  func brokenCommit() throws {
    let catalog = try database.open()
    try database.sql(
      """
      CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON attachment DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION leave()
      """)
    #expect(throws: StoreError.self) {
      try catalog.handle(.pick(1), draft: "a", at: Date())
    }
    #expect(try catalog.attachment(draft: "a") == nil)
    try database.sql("DROP FUNCTION leave() CASCADE")
    _ = try catalog.handle(.pick(1), draft: "a", at: Date())
    #expect(try catalog.attachment(draft: "a") != nil)
  }

  @Test(
    "A transaction's mark shows whether it was committed, even if the server forgot its number"
  )
  func lostAnswers() throws {
    let pool = try database.store().server.pool
    let (ours, other) = (try pool.connect(), try pool.connect())
    func begun(_ connection: PostgresConnection) throws -> CommitMark {
      var mark = CommitMark(connection)
      let answers = try connection.execute([Command("BEGIN")] + mark.commands)
      mark.number = try #require(answers.last?.rows.first?.text(0))
      return mark
    }
    func ended(_ end: String, forgotten: Bool) throws -> (during: Bool?, after: Bool?) {
      var mark = try begun(ours)
      let during = try mark.isCommitted(asking: other)
      try ours.execute(end)
      // After a crash, numbers that the server hasn't written are in the future again.
      if forgotten { mark.number = "4000000000" }
      return (during, try mark.isCommitted(asking: other))
    }
    for forgotten in [false, true] {
      #expect(try ended("COMMIT", forgotten: forgotten) == (nil, true))
      #expect(try ended("ROLLBACK", forgotten: forgotten) == (nil, false))
    }
    // If another committed transaction got the number, it is no evidence for ours.
    var mark = try begun(ours)
    try ours.execute("ROLLBACK")
    let another = try begun(other)
    try other.execute("COMMIT")
    mark.number = another.number
    #expect(try mark.isCommitted(asking: other) == false)
  }

  @Test("A watcher receives changes that happened while its connection was broken")
  func brokenListening() throws {
    let (catalog, other) = (try database.open(), try database.open())
    let heard = Shared<[AttachmentRecord?]>([])
    _ = catalog.watch(draft: "a") { record in
      heard.change { $0.append(record) }
      return true
    }
    func wait(for count: Int) throws {
      for _ in 0..<1000 where heard.value.count < count { usleep(10_000) }
      try #require(heard.value.count >= count)
    }
    try wait(for: 1)
    try breakConnections()
    let ticket = try other.begin(draft: "a", at: Date())
    try wait(for: 2)
    #expect(
      heard.value.last??.machine == .init(.loading(ticket, previous: nil)))
  }

  @Test("A server that is down is reported with its address and without its password")
  func unreachable() throws {
    let address = try PostgresAddress(
      "postgresql://petspot:s3cret@127.0.0.1:1/name?password=s3cret&connect_timeout=1")
    #expect(address.shown == "127.0.0.1:1/name")
    let error = try #require(throws: StoreError.self) {
      try DatabaseFacts(address)
    }
    guard case .unreachable(let service, _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(service == "PostgreSQL at 127.0.0.1:1/name")
    #expect(!"\(error)".contains("s3cret"))
    #expect(error.code == "unreachable")
  }

  @Test("A missing user or database is reported at once")
  func refused() throws {
    for url in [
      database.url + "x", database.url.replacingOccurrences(of: "petspot@", with: "nobody@"),
    ] {
      let began = ContinuousClock.now
      let error = try #require(throws: StoreError.self) {
        try DatabaseFacts(PostgresAddress(url))
      }
      guard case .serviceFailed = error else {
        Issue.record("\(error)")
        return
      }
      #expect(ContinuousClock.now - began < .seconds(3))
    }
  }

  /// Opens a server that refuses all connections with a SQLSTATE and a message that isn't in English. It ends when its
  /// socket is closed.
  private func refusingServer(_ state: String) throws -> (port: Int, socket: Int32) {
    let port = TestServer.freePort()
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(isBound == 0 && listen(listener, 20) == 0)
    let fields = ["SKATASTROFALNY", "VFATAL", "C\(state)", "Modmowa", ""]
    let body = Array((fields.joined(separator: "\0") + "\0").utf8)
    let answer: [UInt8] = [UInt8(ascii: "E"), 0, 0, 0, UInt8(body.count + 4)] + body
    Thread.detachNewThread {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        var request = [UInt8](repeating: 0, count: 4096)
        _ = recv(client, &request, request.count, 0)
        _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
        close(client)
      }
    }
    return (port, listener)
  }

  @Test(
    "A refusal is recognized by its SQLSTATE, in any language of the server",
    arguments: [
      ("28P01", "storage"), ("28000", "storage"), ("3D000", "storage"), ("53300", "busy"),
      ("57P03", "unreachable"),
    ])
  func refusedInWords(state: String, code: String) throws {
    let (port, listener) = try refusingServer(state)
    defer { shutdown(listener, Int32(SHUT_RDWR)) }
    let error = try #require(throws: StoreError.self) {
      try DatabaseFacts(
        PostgresAddress(
          "postgresql://petspot@127.0.0.1:\(port)/name?sslmode=disable&gssencmode=disable"))
    }
    #expect(error.code == code, "\(error)")
  }

  @Test(
    "An invalid address is refused, and not repeated in the error",
    arguments: [
      "postgresql://u:s3cret@h:port/x?nonsense=s3cret", "mysql://u:s3cret@h/x", "",
    ])
  func noAddress(_ text: String) {
    #expect(throws: StoreError.database(.noAddress, detail: "")) {
      try PostgresAddress(text)
    }
  }

  @Test("A lock that is held for too long is reported as busy, with the server's name")
  func busy() throws {
    let (catalog, other) = (try database.open(timeout: 0.3), try database.open())
    let name = "PostgreSQL at 127.0.0.1:\(database.server.port)/\(database.name)"
    #expect(throws: StoreError.busy(seconds: 1, service: name)) {
      try other.lock(dryRun: false) { _ in
        try catalog.keepAlive(draft: "a", at: Date())
      }
    }
  }

  // MARK: - Tables

  @Test("If sixteen clients open an empty database at once, its tables are created once")
  func sixteen() throws {
    let failures = Shared<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 16) { _ in
      do { try database.open().close() } catch { failures.change { $0.append("\(error)") } }
    }
    #expect(failures.value == [])
    #expect(try database.sql("SELECT count(*) FROM store") == "1")
  }

  @Test(
    "Tables of another version are refused and left as they are",
    arguments: [
      "UPDATE store SET schema = 'another'", "ALTER TABLE store DROP COLUMN schema",
      "DROP TABLE store", "DELETE FROM store",
    ])
  func otherVersion(_ change: String) throws {
    try database.open().close()
    try database.sql(change)
    let columns = "SELECT count(*) FROM pg_attribute JOIN pg_class ON oid = attrelid"
    let before = try database.sql(columns)
    let shown = try PostgresAddress(database.url).shown
    #expect(throws: StoreError.database(.otherVersion, detail: "PostgreSQL at \(shown)")) {
      try database.open()
    }
    #expect(try database.sql(columns) == before)
  }

  @Test(
    "Tables of an earlier version are upgraded to this version",
    arguments: [
      (
        "12bce2387aca0ef3216409ff3936eb8bc8550c18eb81743f68e179884f18dc5f",
        """
        ALTER TABLE source_file DROP COLUMN fate, DROP COLUMN moved_to;
        ALTER TABLE announcement DROP COLUMN new_password_until
        """
      ),
      (
        "5e098fea0c5d393e0bf05e04567c4d6057d3ef143507d430b4576df84cb851b7",
        "ALTER TABLE announcement DROP COLUMN new_password_until"
      ),
      (
        """
        photos:657624819ba78038a0503ef56cd986c8d028b235a019071345d2017e39be5301 \
        reports:3d467f6d3921be0a680694805815edbb77edf85d51254a175502cf66f893622f
        """, "SELECT 1"
      ),
    ])
  func earlierVersion(_ digest: String, _ change: String) throws {
    try database.open().close()
    try database.sql(change)
    try database.sql("ALTER TABLE announcement DROP COLUMN closed_reason")
    try database.sql("DROP TABLE word_update")
    try dropPlaces()
    try database.sql("UPDATE store SET schema = '\(digest)'")
    // A host upgrades its own tables only.
    for tables in [[], [.reports], [], [.reports]] as [[TableGroup]] {
      try database.store(tables: tables).close()
    }
    #expect(try database.sql("SELECT count(fate) + count(moved_to) FROM source_file") == "0")
    #expect(try database.sql("SELECT count(taken_from) FROM library_photo") == "0")
    #expect(try database.sql("SELECT count(words) FROM library_copy") == "0")
    let added = "SELECT count(new_password_until) + count(closed_reason) FROM announcement"
    #expect(try database.sql(added) == "0")
  }

  @Test("A database that records one version for all of its tables opens with any of them")
  func oneVersion() throws {
    try database.open().close()
    try dropPlaces()
    let version = "e6769e88df0b9af3b78fa67484e85242d397f3f8429ded4b248b7e55ec0fcfa7"
    try database.sql("ALTER TABLE announcement DROP COLUMN closed_reason")
    try database.sql("UPDATE store SET schema = '\(version)'")
    try database.sql("DROP TABLE word_update")
    try database.store(tables: []).close()
    let upgraded = try database.sql("SELECT schema FROM store")
    #expect(upgraded.contains(version) && upgraded.contains("photos:"))
    try database.open().close()
    #expect(try database.sql("SELECT schema FROM store").contains(" reports:"))
    #expect(try database.sql("SELECT count(*) FROM word_update") == "0")
  }

  /// Removes what later versions have added to the tables of photos.
  private func dropPlaces() throws {
    try database.sql("DROP TABLE library_copy")
    try database.sql("DROP INDEX library_photo_by_folder")
    try database.sql("ALTER TABLE library_photo DROP COLUMN taken_from")
    try database.sql("CREATE INDEX library_photo_by_folder ON library_photo (folder, words, taken)")
  }

  @Test("The report has versions, clock and rights, and creates nothing")
  func report() throws {
    let report = try DatabaseFacts(PostgresAddress(database.url))
    #expect(report.version.first?.isNumber == true)
    #expect(abs(report.clockDifference) < 1000)
    #expect(report.mayWrite && !report.hasTables && !report.isEncrypted)
    // The test server runs without syncing.
    #expect(!report.isDurable)
    #expect(try database.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'petspot'") == "0")
    try database.open().close()
    #expect(try DatabaseFacts(PostgresAddress(database.url)).hasTables)
  }

  // MARK: - WorkerRegistry

  @Test("An attempt ends if its process hasn't reported for its lifetime, by the server's clock")
  func deadWorker() throws {
    let catalog = try database.open()
    _ = try catalog.begin(draft: "a", at: Date())
    try database.sql(
      """
      INSERT INTO worker VALUES ('other', 'elsewhere', now());
      UPDATE attachment SET worker = 'other'
      """)
    #expect(try catalog.attachment(draft: "a")?.isOwnerAlive == true)
    #expect(try catalog.abandonedDrafts() == [])
    try database.sql(
      "UPDATE worker SET seen_at = now() - interval '\(Dialect.life + 1) seconds'")
    #expect(try catalog.abandonedDrafts() == ["a"])
    try catalog.restore(draft: "a", at: Date())
    #expect(try catalog.attachment(draft: "a")?.machine == .init(.empty, failure: "interrupted"))
  }
}
