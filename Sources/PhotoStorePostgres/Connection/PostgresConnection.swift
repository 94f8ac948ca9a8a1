import CPostgres
import Glibc
import PhotoAttachments

/// A connection to a server. Calls block.
///
/// Only one thread uses it at a time because the pool lends it to one caller at a time. The compiler can't check that.
final class PostgresConnection: @unchecked Sendable {
  private let connection: OpaquePointer
  /// Identifies this connection among all connections ever made.
  let id = Int64.random(in: 1 ... .max)
  /// The names of the prepared statements, by their SQL.
  private var prepared: [String: String] = [:]
  private var names = 0
  /// `true` if the connection can't be used any more, even if libpq has not noticed it.
  private var isBroken = false

  /// Connects and sets the options that transactions depend on.
  ///
  /// - Parameter timeout: the number of seconds that a statement waits for a lock.
  init(_ address: PostgresAddress, timeout: Double) throws(PostgresError) {
    // Entries before `dbname` are defaults that the address may override; entries after it are fixed.
    let settings: KeyValuePairs<String, String> = [
      "connect_timeout": "5", "keepalives_idle": "15", "keepalives_interval": "5",
      "keepalives_count": "3", "tcp_user_timeout": "15000",
      "fallback_application_name": "petspot", "target_session_attrs": "read-write",
      "dbname": address.text, "client_encoding": "UTF8",
    ]
    let names = settings.map { strdup($0.key) } + [nil]
    let values = settings.map { strdup($0.value) } + [nil]
    defer { for text in names + values { free(text) } }
    let begin = ContinuousClock.now
    let opened = names.map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
      values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
        petspot_pq_connect(names.baseAddress!, values.baseAddress!)
      }
    }
    guard let opened else { throw PostgresError(code: "53200", message: "out of memory") }
    connection = opened
    if petspot_pq_is_connected(opened) == 0 {
      let words = String(cString: petspot_pq_error(opened))
      // The second attempt finds the server's error code. It is skipped if libpq has waited long in vain.
      if ContinuousClock.now - begin < .seconds(4) { petspot_pq_reconnect(opened) }
      guard petspot_pq_is_connected(opened) == 1 else { throw Self.refusal(words, opened) }
    }
    let milliseconds = max(1, Int(timeout * 1000))
    try execute(
      """
      SET search_path = petspot; SET lock_timeout = \(milliseconds);
      SET statement_timeout = \(max(30_000, 2 * milliseconds));
      SET idle_in_transaction_session_timeout = 60000;
      SET client_min_messages = error; SET bytea_output = hex; SET extra_float_digits = 1;
      SET default_transaction_isolation = 'read committed'
      """)
  }

  deinit { petspot_pq_finish(connection) }

  /// The server's version as a number, such as 150018.
  var serverVersion: Int { Int(petspot_pq_server_version(connection)) }

  /// `true` if a transaction has begun and not ended.
  var isInTransaction: Bool { petspot_pq_is_in_transaction(connection) == 1 }

  /// Returns the error for a connection that could not be made.
  ///
  /// - Parameter message: libpq's message after the first attempt.
  private static func refusal(
    _ message: String, _ connection: OpaquePointer
  ) -> PostgresError {
    let again = String(cString: petspot_pq_error(connection))
    let state = again.wholeMatch(of: /(?s).*: +([0-9A-Z]{5})\s*/).map { String($0.1) }
    let words = message.split(separator: "\n").joined(separator: " ")
    // Without a code from the server, libpq itself refused. The words about TLS come from this process then.
    let refuses =
      petspot_pq_needs_password(connection) == 1
      || ["certificate", "ssl"].contains(where: words.lowercased().contains)
    // 57P: the server is starting or shutting down.
    let code =
      state?.hasPrefix("57P") == true ? "08001" : state ?? (refuses ? "28000" : "08001")
    return PostgresError(code: code, message: words, isLost: code == "08001")
  }

  /// Runs SQL without parameters and returns the rows of the last statement.
  @discardableResult
  func execute(_ sql: String) throws(PostgresError) -> [ResultRow] {
    let result = petspot_pq_run(connection, sql)
    defer { petspot_pq_clear(result) }
    return try answer(result).rows
  }

  /// Runs a statement and returns its rows and the number of rows that it changed.
  func execute(
    _ sql: String, _ values: [FieldValue], isRepeated: Bool = true
  ) throws(PostgresError) -> CommandResult {
    try execute([Command(sql, values, isRepeated: isRepeated)])[0]
  }

  /// Runs statements in order in one round trip. If one fails, those after it are not run. Outside of a transaction,
  /// either all take effect or none.
  func execute(_ statements: [Command]) throws(PostgresError) -> [CommandResult] {
    var asked: [petspot_pq_statement] = []
    defer { for one in asked { Self.freeMessage(one) } }
    var new: [String: String] = [:]
    for statement in statements {
      var name = String?.none
      var sql = String?.some(statement.sql)
      if statement.isRepeated {
        name = prepared[statement.sql] ?? new[statement.sql]
        if name == nil {
          names += 1
          name = "s\(names)"
          new[statement.sql] = name
        } else {
          sql = nil
        }
      }
      asked.append(Self.message(name, sql: sql, try statement.parameters()))
    }
    isBroken = petspot_pq_ask(connection, &asked, Int32(asked.count)) == 0
    for (one, statement) in zip(asked, statements) where one.is_known == 1 {
      prepared[statement.sql] = new[statement.sql]
    }
    var answers: [CommandResult] = []
    for one in asked { answers.append(try answer(one.result)) }
    // Outside of a transaction, the statements only take effect if the server confirms the end of the batch.
    if isBroken { throw error(nil) }
    return answers
  }

  private static func message(
    _ name: String?, sql: String?, _ parameters: [String?]
  ) -> petspot_pq_statement {
    let values = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: parameters.count)
    for (index, text) in parameters.enumerated() {
      (values + index).initialize(to: UnsafePointer(text.flatMap { strdup($0) }))
    }
    var message = petspot_pq_statement()
    message.count = Int32(parameters.count)
    message.values = UnsafePointer(values)
    message.name = UnsafePointer(name.flatMap { strdup($0) })
    message.sql = UnsafePointer(sql.flatMap { strdup($0) })
    return message
  }

  private static func freeMessage(_ message: petspot_pq_statement) {
    let texts = (0..<Int(message.count)).map { message.values[$0] } + [message.name, message.sql]
    for text in texts { free(UnsafeMutablePointer(mutating: text)) }
    message.values.deallocate()
    petspot_pq_clear(message.result)
  }

  private func answer(_ result: OpaquePointer?) throws(PostgresError) -> CommandResult {
    guard let result, petspot_pq_is_done(result) == 1 else { throw error(result) }
    let touched = Int(String(cString: petspot_pq_touched(result))) ?? 0
    return CommandResult(
      rows: (0..<petspot_pq_rows(result)).map { ResultRow(result, row: $0) }, touched: touched)
  }

  private func error(_ result: OpaquePointer?) -> PostgresError {
    func field(_ letter: Character) -> String? {
      result.flatMap { petspot_pq_error_field($0, Int32(letter.asciiValue ?? 0)) }
        .map { String(cString: $0) }
    }
    let isLost = isBroken || petspot_pq_is_connected(connection) == 0
    return PostgresError(
      code: field("C") ?? (isLost ? "08006" : ""),
      message: field("M") ?? String(cString: petspot_pq_error(connection)), isLost: isLost)
  }

  // MARK: - Notices

  /// Waits for notifications of the server and returns their payloads. It also returns as soon as `other` is readable
  /// or after `milliseconds`.
  ///
  /// - Throws: `PostgresError` if the connection is lost.
  func notices(orWaking other: Int32, milliseconds: Int32) throws(PostgresError) -> [String] {
    var polled = [
      pollfd(fd: petspot_pq_socket(connection), events: Int16(POLLIN), revents: 0),
      pollfd(fd: other, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&polled, 2, milliseconds)
    guard petspot_pq_consume(connection) == 1 else { throw error(nil) }
    var payloads: [String] = []
    while let notice = petspot_pq_next_notice(connection) {
      payloads.append(String(cString: notice.pointee.payload))
      petspot_pq_free(notice)
    }
    return payloads
  }
}
