import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// Errors as pages, with a link to continue.
struct ErrorPage: Sendable {
  /// The size limit of a photo in bytes.
  let photoBytes: Int
  let siteOperator: SiteOperator

  /// Returns the page of an error.
  ///
  /// - Parameter answer: the response to the error, for programs.
  func response(
    _ answer: ErrorResponse, to error: any Error, _ request: Request, id: String
  ) -> Response {
    // An error has no canonical URL, so no URL on its page begins with a base.
    let renderer = PageRenderer(request, base: "", siteOperator: siteOperator)
    let words = renderer.words
    let cause = answer.cause
    let gone = error as? GoneAnnouncement
    let limit = words.limit(photoBytes)
    var head = PageHead(words(cause.title), isSecret: true)
    head.status = answer.status
    // The URL of a posted form can't be loaded, so a change of language returns to the start page.
    if request.method != .get, request.method != .head { head.returnTo = "/" }
    var response = renderer.page(
      "error",
      ErrorView(
        title: head.title,
        text: (cause == .closed ? gone?.pet : nil) ?? words(cause.text, ["limit": limit]),
        reference: cause.problemText.map { _ in words("error.reference", ["id": id]) },
        isReport: request.uri.path.hasPrefix("/report"),
        isElsewhere: [404, 410].contains(answer.status.code), owner: gone?.owner), head)
    for header in answer.headers { response.headers[header.name] = header.value }
    return response
  }
}

/// An announcement that was closed or taken down. Its page describes the pet, and links to the owner's page.
struct GoneAnnouncement: ErrorResponseConvertible {
  let response: ErrorResponse
  /// The path of the owner's page, where the owner can reopen or erase the announcement.
  let owner: String
  /// A description of the pet of a closed announcement.
  let pet: String
}

/// The data of an error page.
struct ErrorView {
  let title, text: String
  let reference: String?
  /// `true` if the page links to the report.
  let isReport: Bool
  /// `true` if the page links to the list and its search, where the announcement may be found.
  let isElsewhere: Bool
  let owner: String?
}
