import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server of this test process in a folder of its own. The first test that needs it starts it, and it ends
/// when the process ends, even after a crash.
package final class TestServer: Sendable {
  /// The server; `nil` if PostgreSQL isn't installed.
  package static let shared = programs.map { TestServer($0) }

  /// The reason for skipping tests that need the server.
  package static let absence =
    "PostgreSQL is not installed; Scripts/bootstrap --tests installs it"

  /// The port on 127.0.0.1 that the server listens on.
  package let port: Int
  /// The folder with the server's data.
  package let folder: String
  private let programs: String
  private let life: Int32

  /// The folder with the programs of the newest installed version.
  private static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.compactMap(Int.init).max().map { "\(root)/\($0)/bin" }
      .flatMap { access($0 + "/initdb", X_OK) == 0 ? $0 : nil }
  }()

  private init(_ programs: String) {
    self.programs = programs
    folder =
      FileManager.default.temporaryDirectory.path + "/petspot-postgres-\(UUID().uuidString)"
    mkdir(folder, 0o700)
    port = Self.freePort()
    var ends: [Int32] = [-1, -1]
    Self.openPipe(&ends)
    life = ends[1]
    // PostgreSQL refuses to run as root. The shell notices the end of this process by the end of its input.
    let user = geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups" : ""
    if geteuid() == 0, let entry = getpwnam("postgres") {
      chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
    }
    // No code may depend on the text of errors. To check that, run the tests once with pl_PL.UTF-8, which has to be
    // installed.
    let language = getenv("PETSPOT_TEST_LC_MESSAGES").map { String(cString: $0) } ?? "C"
    let script = """
      cd /
      if \(user) \(programs)/initdb -D \(folder)/data -U petspot --auth=trust -E UTF8 \
          --locale=C.UTF-8 --no-sync >\(folder)/log 2>&1; then
        \(user) \(programs)/postgres -D \(folder)/data -p \(port) -k \(folder) \
          -c lc_messages=\(language) -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=400 \
          -c shared_buffers=32MB </dev/null >>\(folder)/log 2>&1 &
        server=$!
      fi
      cat >/dev/null
      kill -QUIT $server
      wait $server
      rm -rf \(folder)
      """
    _ = Self.start(["/bin/sh", "-c", script], input: ends[0])
    close(ends[0])
    for _ in 0..<600 where (try? sql("SELECT 1", in: "postgres")) == nil { usleep(100_000) }
  }

  /// Returns a port of the loopback address that no process listens on.
  package static func freePort() -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, size)
        _ = getsockname(descriptor, $0, &size)
      }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Opens a pipe that other programs don't inherit.
  private static func openPipe(_ ends: inout [Int32]) {
    precondition(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  private static func start(_ command: [String], input: Int32, output: Int32? = nil) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
      posix_spawn_file_actions_adddup2(&actions, output, 2)
    }
    let arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var pid = pid_t()
    return posix_spawnp(&pid, command[0], &actions, nil, arguments, environ) == 0 ? pid : -1
  }

  /// The error output of a failed command.
  package struct Failure: Error {
    package let text: String
  }

  /// Runs SQL over another connection, as a superuser. Returns the values of the last statement, one row per line.
  @discardableResult
  package func sql(_ text: String, in database: String) throws -> String {
    var ends: [Int32] = [-1, -1]
    Self.openPipe(&ends)
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let pid = Self.start(
      [
        programs + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1",
        "-p", "\(port)", "-U", "petspot", "-d", database, "-c", text,
      ], input: nothing, output: ends[1])
    close(nothing)
    close(ends[1])
    var (output, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65536))
    while true {
      let count = read(ends[0], &buffer, buffer.count)
      if count <= 0 { break }
      output += buffer[..<count]
    }
    close(ends[0])
    var status: Int32 = -1
    waitpid(pid, &status, 0)
    let answer = String(decoding: output, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard status == 0 else { throw Failure(text: answer) }
    return answer
  }
}

/// An empty database for one test, deleted with this value.
package final class TestDatabase: Sendable {
  /// The server that the database is on.
  package let server: TestServer
  package let name: String
  /// The address of the database, as `--database` accepts it.
  package var url: String { url(of: "petspot") }

  /// Returns the database's address for another user.
  package func url(of user: String) -> String {
    "postgresql://\(user)@127.0.0.1:\(server.port)/\(name)"
  }

  package init() throws {
    guard let server = TestServer.shared else {
      throw TestServer.Failure(text: TestServer.absence)
    }
    self.server = server
    name = "t" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
    try server.sql("CREATE DATABASE \(name)", in: "postgres")
  }

  deinit { _ = try? server.sql("DROP DATABASE \(name) WITH (FORCE)", in: "postgres") }

  /// Runs SQL on PetSpot's tables over another connection, as a superuser.
  @discardableResult
  package func sql(_ text: String) throws -> String {
    try server.sql("SET search_path = petspot; " + text, in: name)
  }

  /// Lets every write of photos (or of reports) fail: the statement itself, or only the commit at the end.
  package func hinder(commits: Bool = false, reports: Bool = false) throws {
    let tables =
      reports
      ? ["announcement", "wrong_password", "report_draft"]
      : ["photo", "attachment", "library_photo", "source_file"]
    let triggers = tables.map { table in
      commits
        ? "CREATE CONSTRAINT TRIGGER hinder AFTER INSERT OR UPDATE OR DELETE ON \(table) "
          + "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hinder();"
        : "CREATE TRIGGER hinder BEFORE INSERT OR UPDATE OR DELETE ON \(table) "
          + "FOR EACH ROW EXECUTE FUNCTION hinder();"
    }
    try sql(
      """
      CREATE FUNCTION hinder() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'hindered'; END $$; \(triggers.joined())
      """)
  }

  /// Ends every connection but this one, as a server does that shuts down.
  package func cutConnections() throws {
    try sql(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)
  }

  /// Undoes `hinder`.
  package func letWrite() throws { try sql("DROP FUNCTION hinder() CASCADE") }
}
