import Announcements
import HTTPTypes
import HummingbirdCore

/// Refuses requests whose address or fields cost more than their bytes to compare.
struct MarkGuard: RequestGuard {
  /// - Throws: 400 `INVALID_HEADER`.
  func check(_ request: Request) throws(ErrorResponse) {
    guard request.isQuickToCompare else {
      throw ErrorResponse(
        .badRequest, "INVALID_HEADER", "A header field or the address has too many marks in a row.")
    }
  }
}

extension Request {
  /// Whether its address and fields cost no more than their bytes to compare.
  var isQuickToCompare: Bool {
    func isQuick(_ text: String) -> Bool { text.withShortRowsOfMarks.utf8.count == text.utf8.count }
    return isQuick(head.path ?? "") && headers.allSatisfy { isQuick($0.value) }
  }
}
