import PhotoIngestion
import Announcements
import Foundation
import HTTPTypes
import Hummingbird
import PhotoAttachments
import ReportFlow

/// Announcements (seeds 046 and 058, decisions 23 to 27).
struct AnnouncementsResource: Sendable {
  let site: Site

  private static let jsonLimit = 100 << 10
  private static let idempotencyKey = HTTPField.Name("Idempotency-Key")

  private struct List: Encodable {
    let announcements: [AnnouncementAnswer]
  }

  /// `GET /api/v1/announcements`
  @Sendable func list(_ exchange: Exchange) async throws -> Response {
    let query = try AnnouncementListQuery(parameters: try exchange.query())
    let found = try await site.announcements.announcements(matching: query)
    return .json(
      .ok,
      List(
        announcements: found.map {
          AnnouncementAnswer($0, base: exchange.base, reader: query.location)
        }))
  }

  /// `GET /api/v1/announcements/{id}`
  @Sendable func show(_ exchange: Exchange) async throws -> Response {
    let announcement = try await site.announcement(exchange.parameter("id"))
    try announcement.requireOpen()
    return .json(.ok, AnnouncementAnswer(announcement, base: exchange.base))
  }

  /// `POST /api/v1/announcements`
  @Sendable func create(_ exchange: Exchange) async throws -> Response {
    let key = try Self.key(of: exchange)
    try site.clients.count("create", of: exchange.client)
    let object = try await exchange.json(limit: Self.jsonLimit, on: site)
    let body = try AnnouncementBody(
      object, withPhoto: false, taxonomy: await site.species.taxonomy)
    return created(try await create(body.report, key, exchange), exchange)
  }

  /// `POST /api/announcements`, the body of seed 046 as it stands.
  @Sendable func createWithPhoto(_ exchange: Exchange) async throws -> Response {
    let key = try Self.key(of: exchange)
    try site.clients.count("create", of: exchange.client)
    let limit = (site.configuration.uploadLimit + 2) / 3 * 4 + Self.jsonLimit
    try site.decoding.checkRoom(for: exchange.client)
    let (object, photo) = try await exchange.jsonWithPhoto(
      limit: limit, restLimit: Self.jsonLimit, on: site)
    let body = try AnnouncementBody(
      object, withPhoto: true, taxonomy: await site.species.taxonomy)
    guard let photo else { throw ErrorAnswer.noBase64 }
    return try await site.decoding.pass(exchange.client) {
      // The photo first: nothing is made when it is refused.
      try await site.withKept(photo.source(name: "")) { kept in
        var created = try await create(body.report, key, exchange)
        if created.announcement.details.photoID == nil {
          created = CreatedAnnouncement(
            announcement: try await site.announcements.attachPhoto(
              kept, to: created.announcement.id,
              managementPassword: created.managementPassword ?? "", client: nil),
            managementPassword: created.managementPassword)
          site.makeSharedSize(of: created.announcement, for: exchange.client)
        } else {
          await site.letGo(kept)
        }
        return self.created(created, exchange)
      }
    }
  }

  /// `PATCH /api/v1/announcements/{id}`
  @Sendable func change(_ exchange: Exchange) async throws -> Response {
    let owner = try await site.authorizedOwner(of: exchange)
    let object = try await exchange.json(limit: Self.jsonLimit, on: site)
    let fields = try ReportFields(changing: object, taxonomy: await site.species.taxonomy)
    let changed = try await site.announcements.change(
      id: owner.id, managementPassword: owner.password, client: nil, fields.change)
    try changed.requireOpen()
    return .json(.ok, AnnouncementAnswer(changed, base: exchange.base))
  }

  /// `DELETE /api/v1/announcements/{id}`, with `?erase=true` for good.
  @Sendable func close(_ exchange: Exchange) async throws -> Response {
    let erase = try exchange.query()["erase"]
    guard erase == nil || erase == "true" || erase == "false" else {
      throw ErrorAnswer(
        .badRequest, "INVALID_PARAMETER", "Parameter \"erase\" has to be true or false.",
        field: "erase")
    }
    let owner = try await site.owner(of: exchange)
    if erase == "true" {
      try await site.announcements.erase(
        id: owner.id, managementPassword: owner.password, client: exchange.client.text)
      return .empty(.noContent)
    }
    _ = try await site.announcements.close(
      id: owner.id, managementPassword: owner.password, client: exchange.client.text)
    return .empty(.noContent)
  }

  private func create(
    _ report: NewAnnouncement, _ key: String?, _ exchange: Exchange
  ) async throws -> CreatedAnnouncement {
    guard let key else {
      return try await site.announcements(for: exchange).create(
        report, idempotencyKey: UUID(), managementPassword: ManagementPassword.random())
    }
    let password = try await site.announcements.managementPassword(idempotencyKey: key)
    return try await site.announcements(for: exchange).create(
      report, idempotencyKey: UUID(idempotencyKey: key), managementPassword: password,
      client: try await client(of: exchange))
  }

  /// Who may repeat a create: a browser by the secret of its draft, else the network.
  private func client(of exchange: Exchange) async throws -> AnnouncementClient {
    AnnouncementClient(
      network: exchange.client.text, browser: try await DraftCookie.draft(of: exchange, on: site))
  }

  private func created(
    _ created: CreatedAnnouncement, _ exchange: Exchange
  ) -> Response {
    var response = Response.json(
      .created,
      AnnouncementAnswer(
        created.announcement, base: exchange.base, managementPassword: created.managementPassword))
    response.headers[.location] =
      exchange.base + "/api/v1/announcements/" + created.announcement.id
    return response
  }

  /// The text of the key that a create has; nil without one.
  private static func key(of exchange: Exchange) throws(ErrorAnswer) -> String? {
    guard let name = idempotencyKey, exchange.request.headers.contains(name) else { return nil }
    let values = exchange.request.headers[values: name]
    guard values.count == 1, let text = values.first, (16...255).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw ErrorAnswer(
        .badRequest, "INVALID_FORMAT",
        "Idempotency-Key has to be 16 to 255 visible characters, such as a random UUID.",
        field: "Idempotency-Key")
    }
    return text
  }
}

extension ErrorAnswer {
  /// 410: it was closed; the answer says nothing else of it (decision 33).
  static var closed: Self { Self(.gone, "CLOSED", "This announcement was closed.") }

  /// 410: an operator took it down (decision 43).
  static var takenDown: Self {
    var answer = Self(.gone, "CLOSED", "This announcement was taken down by the operator.")
    answer.facts = [("reason", .text("taken-down"))]
    return answer
  }

  /// Whether it is `takenDown`: no other 410 has a reason.
  var isTakenDown: Bool { status == .gone && facts.contains { $0.key == "reason" } }
}
