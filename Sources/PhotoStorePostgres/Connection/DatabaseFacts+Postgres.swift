import Foundation
package import PhotoAttachments

extension DatabaseFacts {
  /// Reads the facts of a server without changing anything.
  ///
  /// - Throws: `StoreError.unreachable`, `.busy` or `.database`.
  package init(_ address: PostgresAddress) throws(StoreError) {
    let pool = PostgresPool(address, timeout: 3, most: 1)
    let (row, difference): (ResultRow, Int)
    do {
      (row, difference) = try pool.lend { connection in
        let before = Date().milliseconds
        let row = try connection.execute(Self.query)[0]
        let middle = (before + Date().milliseconds) / 2
        return (row, Int(middle - (row.number(1) ?? middle)))
      }
    } catch {
      throw pool.mapped(error)
    }
    self.init()
    self.address = address.shown
    version = row.text(0) ?? ""
    clockDifference = difference
    isEncrypted = row.isTrue(2)
    isDurable = row.isTrue(3)
    hasTables = row.isTrue(4)
    mayWrite = row.isTrue(5)
  }

  private static let query = """
    SELECT split_part(current_setting('server_version'), ' ', 1),
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
      COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
      current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off',
      EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'petspot' AND tablename = 'photo'),
      CASE
        WHEN EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'petspot' AND tablename = 'photo')
        THEN
          has_schema_privilege('petspot', 'USAGE')
          AND (SELECT bool_and(
            CASE relkind
              WHEN 'S' THEN relname <> 'ticket' OR has_sequence_privilege(oid, 'USAGE')
              ELSE has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
                AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')
            END)
            FROM pg_class
            WHERE relnamespace = to_regnamespace('petspot') AND relkind IN ('r', 'S'))
        WHEN to_regnamespace('petspot') IS NOT NULL THEN
          has_schema_privilege('petspot', 'CREATE')
        ELSE has_database_privilege(current_database(), 'CREATE')
      END
    """
}
