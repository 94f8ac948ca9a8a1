import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import ReportFlow

/// Mails a new code (management password) to the owner of an announcement, if the server sends mail. Neither the
/// response nor its duration reveals whether the address is right, because the page doesn't wait for the work
/// (`LostCodes`).
struct LostCodePage: Sendable {
  let site: Site

  private struct View {
    let id: String
    let isDone: Bool
  }

  /// `GET /announcements/{id}/owner/lost-code`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    guard site.sendsMail else { throw ErrorResponse.notFound }
    let id = try Site.announcementID(context.parameter("id"))
    let renderer = PageRenderer(context, on: site)
    var head = PageHead(renderer.words("lostCode.title"))
    head.caching = "no-store"
    let isDone = try context.query()["done"] != nil
    return renderer.page("lost-code", View(id: id, isDone: isDone), head)
  }

  /// `POST /announcements/{id}/owner/lost-code`
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    guard site.sendsMail else { throw ErrorResponse.notFound }
    try site.clients.count(.change, of: context.client)
    let id = try Site.announcementID(context.parameter("id"))
    let form = try await PostedForm.receive(context, on: site)
    let address = form["email"].trimmingCharacters(in: .whitespacesAndNewlines)
    let (announcements, logger) = (site.announcements(for: context), context.logger)
    site.lostCodes.add(id, by: context.client) {
      do { try await announcements.sendNewCode(of: id, to: address) } catch {
        logger.error("new code not sent", metadata: ["error": "\(error)"])
      }
    }
    return .see("/announcements/\(id)/owner/lost-code?done=1")
  }
}
