import HTTPTypes
import PhotoUploads

extension ErrorResponse {
  /// Creates the response to a failed upload.
  init(_ failure: HTTPFailure) {
    self.init(
      ErrorCause(failure), failure.message, field: failure.field, headers: failure.headers)
    facts = failure.facts
    problem = failure.problem
    origin = failure.origin
  }
}

extension HTTPFailure {
  /// Creates the form in which a response is rendered.
  init(_ response: ErrorResponse) {
    self.init(
      response.status.code, response.cause.code, response.message, field: response.field,
      headers: response.headers)
    facts = response.facts
    errors = response.errors.map {
      ["code": $0.code.rawValue, "message": $0.message, "field": $0.field]
    }
    problem = response.problem
    origin = response.origin
  }
}

extension ErrorCause {
  /// The causes of failed uploads that have their own page texts.
  private static let uploadCauses = [
    notFound, tooLarge, throttled, failed, busy, storageFull,
  ]

  init(_ failure: HTTPFailure) {
    self =
      Self.uploadCauses.first { $0.status == failure.status && $0.code == failure.code }
      ?? Self(failure.status.code, failure.code)
  }
}
