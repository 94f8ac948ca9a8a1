import Announcements
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
    let closed = cause == .closed ? gone?.announcement : nil
    let card = closed.map { AnnouncementCard($0, readerLocation: nil, words: words) }
    let limit = words.limit(photoBytes)
    var head = PageHead(card?.closedTitle ?? words(cause.title), isSecret: true)
    head.status = answer.status
    // The URL of a posted form can't be loaded, so a change of language returns to the start page.
    if request.method != .get, request.method != .head { head.returnTo = "/" }
    var response = renderer.page(
      "error",
      ErrorView(
        title: head.title, isHome: closed?.details.isHome ?? false,
        text: card?.closedText ?? words(cause.text, ["limit": limit]),
        reference: cause.problemText.map { _ in words("error.reference", ["id": id]) },
        contact: cause == .storageFull ? FooterView(siteOperator) : nil,
        isReport: request.uri.path.hasPrefix("/report"),
        isElsewhere: [404, 410].contains(answer.status.code), owner: gone?.owner), head,
      share: Self.preview(of: gone, cause, words))
    for header in answer.headers { response.headers[header.name] = header.value }
    return response
  }

  /// Returns the link preview of an announcement that visitors no longer see, so that links that were shared before
  /// show what became of it. `nil` for other errors.
  private static func preview(
    of gone: GoneAnnouncement?, _ cause: ErrorCause, _ words: Words
  ) -> ShareView? {
    if cause == .closed, let gone {
      return ShareView(gone.announcement, base: gone.base, reader: words.language)
    }
    guard [.takenDown, .erased].contains(cause) else { return nil }
    let title = words(cause.title)
    let text = words(cause.text)
    return ShareView(
      title: title, text: text, message: text, address: nil, locale: words.language, picture: nil)
  }
}

/// An announcement that was closed or taken down. Its page names the pet, and links to the owner's page.
struct GoneAnnouncement: ErrorResponseConvertible {
  let response: ErrorResponse
  let announcement: Announcement
  /// The start of URLs.
  let base: String
  /// The path of the owner's page, where the owner can reopen or erase the announcement.
  var owner: String { OwnerPage.path(announcement.id) }
}

/// The data of an error page.
struct ErrorView {
  let title: String
  /// `true` if the pet is back home.
  let isHome: Bool
  let text: String
  let reference: String?
  /// Whom visitors can ask instead. `nil` if they only need to wait.
  let contact: FooterView?
  /// `true` if the page links to the report.
  let isReport: Bool
  /// `true` if the page links to the list and its search, where the announcement may be found.
  let isElsewhere: Bool
  let owner: String?
}
