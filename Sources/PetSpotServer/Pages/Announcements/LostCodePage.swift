import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import ReportFlow

/// Mails a new code (management password) to the owner of an announcement, if the server sends mail. Neither the
/// response nor its duration reveals whether the address is right, because the page doesn't wait for the work
/// (`LostCodes`).
struct LostCodePage: Sendable {
  let stores: Stores
  let limits: Limits
  private let lostCodes = LostCodes()

  private struct View {
    let id: String
    let isDone: Bool
    let problem: String?
  }

  /// `GET /announcements/{id}/owner/lost-code`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    guard stores.sendsMail else { throw ErrorResponse.notFound }
    let id = try context.announcementID
    let renderer = PageRenderer(context)
    var head = PageHead(renderer.words("lostCode.title"), isSecret: true)
    let query = try context.query()
    let problem = query["wrong"].map { _ in renderer.words("contact.emailInvalid") }
    head.errors = problem.map { [ErrorEntry(text: $0, field: "email")] } ?? []
    return renderer.page(
      "lost-code", View(id: id, isDone: query["done"] != nil, problem: problem), head)
  }

  /// `POST /announcements/{id}/owner/lost-code`
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    guard stores.sendsMail else { throw ErrorResponse.notFound }
    try limits.clients.count(.change, of: context.client)
    let id = try context.announcementID
    let form = try await PostedForm.receive(context, within: limits)
    let address = form["email"].trimmingCharacters(in: .whitespacesAndNewlines)
    // The form of an address reveals nothing about the announcement's.
    guard ContactRules.isEmail(address) else {
      return .see("/announcements/\(id)/owner/lost-code?wrong=1")
    }
    let announcements = stores.announcements(for: context)
    let logger = context.logger
    lostCodes.add(id, by: context.client) {
      do { try await announcements.sendNewCode(of: id, to: address) } catch {
        logger.error("new code not sent", metadata: ["error": "\(error)"])
      }
    }
    return .see("/announcements/\(id)/owner/lost-code?done=1")
  }
}
