import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// Errors as pages, with a link to continue.
enum ErrorPage {
  /// Returns the page of an error.
  static func response(_ answer: ErrorResponse, _ request: Request, id: String, on site: Site)
    -> Response
  {
    let renderer = PageRenderer(request, on: site)
    let words = renderer.words
    let (title, text) = texts(answer, words, limit: site.configuration.uploadLimit)
    var head = PageHead(title)
    (head.status, head.caching) = (answer.status, "no-store")
    // The URL of a posted form can't be loaded, so a change of language returns to the start page.
    if request.method != .get, request.method != .head { head.returnTo = "/" }
    var response = renderer.page(
      "error",
      ErrorView(
        title: title, text: text,
        reference: answer.status.code >= 500 ? words("error.reference", ["id": id]) : nil,
        isReport: request.uri.path.hasPrefix("/report"),
        isElsewhere: [404, 410].contains(answer.status.code), owner: answer.owner), head)
    for header in answer.headers { response.headers[header.name] = header.value }
    return response
  }

  private static func texts(
    _ answer: ErrorResponse, _ words: Words, limit: Int
  ) -> (title: String, text: String) {
    let keys: (TextKey, TextKey) =
      switch answer.status.code {
      case 408: ("error.slowTitle", "error.slow")
      case 404: ("error.notFoundTitle", "error.notFound")
      case 410 where answer.isTakenDown:
        ("announcement.takenDownTitle", "announcement.takenDown")
      case 410 where answer.isErased: ("announcement.erasedTitle", "announcement.erased")
      case 410: ("announcement.closedTitle", "announcement.closed")
      case 403: ("error.refusedTitle", "error.otherSite")
      case 413: ("error.tooLargeTitle", "error.tooLarge")
      case 429: ("error.busyTitle", "error.busy")
      default:
        switch answer.problemText {
        case "error.busy"?: ("error.busyTitle", "error.busy")
        case let problem?: ("error.oursTitle", problem)
        case nil: ("error.refusedTitle", "error.refused")
        }
      }
    let text = keys.1 == "announcement.closed" ? answer.pet : nil
    return (words(keys.0), text ?? words(keys.1, ["limit": words.limit(limit)]))
  }
}

extension ErrorResponse {
  /// The text about a problem that visitors can do nothing about. `nil` for other errors.
  var problemText: TextKey? {
    switch (status.code, unreachable) {
    case (503, .database): "error.databaseDown"
    case (503, .pictures): "error.picturesDown"
    case (503, nil): "error.busy"
    case (507, _): "error.full"
    case (500..., _): "error.ours"
    default: nil
    }
  }
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
