import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow

/// The announcements of the API (seeds 046 and 058, decisions 23 to 27).
struct AnnouncementsResource: Sendable {
  let stores: Stores
  let gates: Gates
  let limits: Limits

  private static let jsonLimit = 100 << 10

  /// `GET /api/v1/announcements`
  @Sendable func list(_ context: RequestContext) async throws -> Response {
    let query = try AnnouncementListQuery(
      parameters: try context.query(), taxonomy: await stores.species.taxonomy)
    var list = StreamedList(query: query, stores: stores, gates: gates, context: context)
    let (first, isLast) = try await list.part()
    let body =
      isLast
      ? ResponseBody(byteBuffer: first)
      : ResponseBody { [list] writer in
        var list = list
        try await writer.write(first)
        while true {
          let (part, isLast) = try await list.part()
          try await writer.write(part)
          if isLast { return try await writer.finish(nil) }
        }
      }
    return Response(
      status: .ok, headers: [.contentType: "application/json; charset=utf-8"], body: body)
  }

  /// `GET /api/v1/announcements/{id}`
  @Sendable func sendAnnouncement(_ context: RequestContext) async throws -> Response {
    let announcement = try await stores.announcements.announcement(id: context.announcementID)
    try announcement.requireOpen()
    return .json(.ok, AnnouncementResponse(announcement, base: context.base))
  }

  /// `POST /api/v1/announcements`
  @Sendable func create(_ context: RequestContext) async throws -> Response {
    let key = try context.idempotencyKey
    try limits.clients.count(.create, of: context.client)
    try await limits.checkFreeSpace()
    let object = try await context.json(limit: Self.jsonLimit, on: stores.files)
    let body = try AnnouncementBody(
      object, withPhoto: false, taxonomy: await stores.species.taxonomy)
    return created(try await create(body.report, nil, key, context), context)
  }

  /// `POST /api/announcements`, with exactly the body of seed 046.
  @Sendable func createWithPhoto(_ context: RequestContext) async throws -> Response {
    let key = try context.idempotencyKey
    try limits.clients.count(.create, of: context.client)
    try await limits.checkRoom(forPhotoOf: context, in: gates)
    try await stores.announcements(for: context).checkPhotoShare()
    return try await ErrorResponse.statingRefusals {
      let (object, photo) = try await context.jsonWithPhoto(
        photoLimit: limits.photoBytes, restLimit: Self.jsonLimit, in: stores)
      let body = try AnnouncementBody(
        object, withPhoto: true, photoIsBase64: photo != nil,
        taxonomy: await stores.species.taxonomy)
      guard let photo else { throw ErrorResponse.internalError }
      return try await gates.decode(for: context.client) { turns in
        // Prepare the photo first, because a rejected photo must not leave an announcement.
        let prepared = try await stores.photos.prepare(photo, in: turns)
        let made = try await create(body.report, prepared, key, context)
        var response = created(made, context)
        if let photo = try await stores.photo(of: made.announcement) { response.state(photo) }
        return response
      }
    }
  }

  /// `PATCH /api/v1/announcements/{id}`
  @Sendable func change(_ context: RequestContext) async throws -> Response {
    let owner = try await stores.announcements.ownerOfOpen(context)
    try limits.clients.count(.change, of: context.client)
    let object = try await context.json(limit: Self.jsonLimit, on: stores.files)
    let fields = try ReportFields(changing: object, taxonomy: await stores.species.taxonomy)
    try await stores.announcements(for: context).change(
      owner, client: context.client.text, fields.change)
    let changed = try await stores.announcements.announcement(id: owner.id)
    try changed.requireOpen()
    return .json(.ok, AnnouncementResponse(changed, base: context.base))
  }

  /// `DELETE /api/v1/announcements/{id}`. With `?erase=true`, the announcement is erased. With `?reason=home`, its page
  /// shows that the pet is home.
  @Sendable func close(_ context: RequestContext) async throws -> Response {
    let query = try context.query()
    let erase = query["erase"]
    let reason = query["reason"].map(ClosingReason.init(rawValue:))
    guard erase == nil || erase == "true" || erase == "false" else {
      throw ErrorResponse(
        .invalidParameter, "Parameter \"erase\" has to be true or false.",
        field: "erase")
    }
    if case .some(nil) = reason {
      throw ErrorResponse(
        .invalidParameter, "Parameter \"reason\" has to be home or other.", field: "reason")
    }
    // Check the password first, so that guesses by a neighbor don't use up the owner's changes.
    let owner = try await stores.announcements.owner(of: context)
    try limits.clients.count(.change, of: context.client)
    if erase == "true" {
      try await stores.announcements.erase(owner)
      return .empty(.noContent)
    }
    _ = try await stores.announcements.close(owner, reason: reason ?? nil)
    return .empty(.noContent)
  }

  /// `POST /api/v1/announcements/{id}/reopen`
  @Sendable func reopen(_ context: RequestContext) async throws -> Response {
    let owner = try await stores.announcements.owner(of: context)
    try limits.clients.count(.change, of: context.client)
    let announcement = try await stores.announcements.reopen(owner)
    return .json(.ok, AnnouncementResponse(announcement, base: context.base))
  }

  private func create(
    _ report: NewAnnouncement, _ photo: PreparedPhoto?, _ key: String?, _ context: RequestContext
  ) async throws -> CreatedAnnouncement {
    let announcements = stores.announcements(for: context)
      .creatingAnnouncements(in: Language.said(in: context.request.headers))
    let name = key ?? UUID().uuidString
    return try await announcements.create(
      report, photo: photo, idempotencyKey: UUID(idempotencyKey: name),
      managementPassword: try await announcements.managementPassword(idempotencyKey: name),
      client: key == nil ? nil : try await client(of: context))
  }

  /// Returns the client that may repeat a creation: a browser by the secret of its draft, otherwise a network.
  private func client(of context: RequestContext) async throws -> AnnouncementClient {
    AnnouncementClient(
      network: context.client.text, browser: try await DraftCookie.draft(of: context, in: stores))
  }

  private func created(
    _ created: CreatedAnnouncement, _ context: RequestContext
  ) -> Response {
    var response = Response.json(
      .created,
      AnnouncementResponse(
        created.announcement, base: context.base, managementPassword: created.managementPassword))
    response.headers[.location] =
      context.base + "/api/v1/announcements/" + created.announcement.id
    return response
  }
}

extension RequestContext {
  /// The request's `Idempotency-Key`, or `nil` without one. Throws 400 if it is malformed.
  var idempotencyKey: String? {
    get throws(ErrorResponse) {
      guard request.headers.contains(.idempotencyKey) else { return nil }
      let values = request.headers[values: .idempotencyKey]
      guard values.count == 1, let text = values.first, (16...255).contains(text.utf8.count),
        text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else {
        throw ErrorResponse(
          .invalidField(),
          "Idempotency-Key has to be 16 to 255 visible characters, such as a random UUID.",
          field: "Idempotency-Key")
      }
      return text
    }
  }
}
