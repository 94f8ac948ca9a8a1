import CPostgres
import Foundation
import Hashing
import PhotoAttachments

extension ResultRow {
  init(_ result: OpaquePointer, row: Int32) {
    self.init(
      (0..<petspot_pq_columns(result)).map { column in
        var length: Int32 = 0
        guard let start = petspot_pq_value(result, row, column, &length) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
        let text = String(decoding: bytes, as: UTF8.self)
        // These type numbers are fixed in PostgreSQL's catalog pg_type.
        return switch petspot_pq_type(result, column) {
        case 16: .int(text == "t" ? 1 : 0)
        case 17: .data(Data([UInt8](hexadecimal: bytes.dropFirst(2))))
        case 20, 21, 23: Int64(text).map(FieldValue.int) ?? .null
        case 700, 701: Double(text).map(FieldValue.double) ?? .null
        default: .text(text)
        }
      })
  }
}

extension Command {
  /// Returns the values in the server's text format.
  func parameters() throws(PostgresError) -> [String?] {
    var parameters: [String?] = []
    for value in values { parameters.append(try value.parameter) }
    return parameters
  }
}

extension FieldValue {
  /// The value in the server's text format, or `nil` for NULL.
  ///
  /// - Throws: `PostgresError` if a text contains a NUL byte, which PostgreSQL cannot store.
  var parameter: String? {
    get throws(PostgresError) {
      switch self {
      case .null: return nil
      case .int(let number): return String(number)
      case .double(let number): return "\(number)"
      case .data(let data): return Self.hex(data)
      case .text(let text):
        guard !text.utf8.contains(0) else {
          throw PostgresError(code: "22021", message: "a text has a zero byte")
        }
        return text
      }
    }
  }
}
