import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import ReportFlow

/// Access to the owner's page.
extension OwnerPage {
  /// Counts and runs an owner's change. Returns the form for the code if the browser's right has expired.
  func withOwner(
    _ context: RequestContext, _ change: (AnnouncementOwner) async throws -> Response
  ) async throws -> Response {
    let id = try context.announcementID
    var signedIn = try await OwnerCookie.owner(context, id: id, in: stores)
    if signedIn == nil { signedIn = try await publisher(context, id) }
    guard let owner = signedIn else {
      let words = PageRenderer(context).words
      return entrance(context, id, problem: words("owner.expired"), .forbidden)
    }
    // Each change costs a transaction at least.
    try limits.clients.count(.change, of: context.client)
    return try await change(owner)
  }

  /// Returns the owner if this browser has published the announcement within the last hour, and its code is still the
  /// announcement's.
  func publisher(_ context: RequestContext, _ id: String) async throws -> AnnouncementOwner? {
    let sessions: [DraftSession]
    do { sessions = try await SummaryPage.sessions(context, in: stores) } catch {
      // Drafts that can't be read give no right, but the visitor can still type the code.
      problemLog.record(error, or: "published drafts not read", context.logger)
      return nil
    }
    for session in sessions {
      guard let submission = await session.draft.submission, submission.announcementID == id,
        let code = submission.managementPassword
      else { continue }
      let owner = try await stores.announcements.owner(id: id)
      return ManagementPassword.verify(code, of: id, against: owner.hash) ? owner : nil
    }
    return nil
  }

  /// Returns the form for the code after a wrong code or too many tries.
  ///
  /// - Throws: any other error.
  func entrance(
    _ context: RequestContext, _ id: String, typed: String = "", after error: any Error
  ) throws -> Response {
    let words = PageRenderer(context).words
    var problem = (error as? AnnouncementError)?.message(in: words, now: Date())
    switch error as? AnnouncementError {
    case .wrongPassword?: problem = ManagementPassword.mistake(in: typed, words) ?? problem
    case .throttled?: break
    default: throw error
    }
    let answer = ErrorResponse(cause: error)
    var response = entrance(
      context, id, typed: typed, problem: problem, answer?.status ?? .forbidden)
    response.headers[.retryAfter] = answer?.headers[.retryAfter]
    return response
  }

  /// Returns the form for the code.
  func entrance(
    _ context: RequestContext, _ id: String, typed: String = "", problem: String?,
    _ status: HTTPResponse.Status
  ) -> Response {
    let renderer = PageRenderer(context)
    var head = PageHead(renderer.words("owner.title"), isSecret: true)
    head.status = status
    head.returnTo = Self.path(id)
    head.errors = problem.map { [ErrorEntry(text: $0, field: "code")] } ?? []
    return renderer.page(
      "owner-code",
      CodeView(id: id, typed: typed, problem: problem, sendsMail: stores.sendsMail), head)
  }
}

/// The data of the form for the code.
struct CodeView {
  let id: String
  /// The wrong code that was typed.
  let typed: String
  let problem: String?
  /// `true` if a lost code can be replaced.
  let sendsMail: Bool
}
