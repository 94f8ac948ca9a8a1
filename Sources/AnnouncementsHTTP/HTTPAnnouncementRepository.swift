public import Announcements
public import Foundation
import HTTPClient
public import Logging

/// Announcements on a server, over HTTP.
///
/// Every request may be repeated, so lost responses are handled by asking again: a create is identified by its key, an
/// upload continues at the server's offset, and closing twice has the effect of closing once. If the last retry fails,
/// the functions throw `AnnouncementError.unavailable` with a description.
public struct HTTPAnnouncementRepository: AnnouncementRepositoryProtocol {
  /// The default pauses before each retry.
  public static let standardWaits: [Duration] = [.zero, .seconds(1), .seconds(3), .seconds(5)]
  /// The largest page of a list that a server sends.
  private static let maxPartCount = 100

  private let connection: ServerConnection
  private let unfinished: UnfinishedUploads
  private let logger: Logger

  /// Creates a repository for the announcements of `server`.
  ///
  /// - Parameters:
  ///   - server: the server.
  ///   - uploads: a file that records unfinished uploads for the next run of the program. `nil` starts every upload
  ///     from the beginning.
  ///   - logger: receives invalid items of lists and responses that can't be decoded.
  ///   - waits: the pauses before each retry. They start over after progress.
  public init(
    _ server: ServerAddress, uploads: URL? = nil, logger: Logger,
    waits: [Duration] = standardWaits
  ) {
    connection = ServerConnection(address: server, waits: waits)
    unfinished = UnfinishedUploads(file: uploads)
    self.logger = logger
  }

  /// Implements the protocol by requesting pages until there are enough valid announcements, or no more. Distances are
  /// computed here, so the reader's position is only sent if the order or the range needs it.
  public func announcements(
    matching query: AnnouncementListQuery
  ) async throws -> [Announcement] {
    if query.sortBy == .distanceFromUser && query.location == nil {
      throw AnnouncementError.locationRequired
    }
    var parameters = [("sort", query.sortBy.rawValue)]
    if let filter = query.filter {
      parameters.append(("q", filter.words.joined(separator: " ")))
      if let species = filter.speciesID { parameters.append(("species", species)) }
    }
    if let place = query.location, query.sortBy == .distanceFromUser || query.range != nil {
      parameters += [("lat", Self.number(place.latitude)), ("lng", Self.number(place.longitude))]
      if let range = query.range { parameters.append(("range", Self.number(range))) }
    }
    var found = [Announcement]()
    var seen = Set<String>()
    var next = query.after.map(String.init)
    repeat {
      let missing = min(query.limit.map { $0 - found.count } ?? .max, Self.maxPartCount)
      if missing <= 0 { break }
      let text = (parameters + [("limit", String(missing))] + (next.map { [("after", $0)] } ?? []))
        .map { "\($0)=" + ($1.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? "") }
      let answer = try await sendRequest("GET", "?" + text.joined(separator: "&"))
      guard answer.status == 200 else { throw answer.error(of: connection.address) }
      let list = try decode(AnnouncementsResponse.self, from: answer)
      list.logSkipped(to: logger)
      found += list.announcements.filter { seen.insert($0.id).inserted }
      // A server that doesn't support paging would return the same cursor forever.
      guard list.next != next else { break }
      next = list.next
    } while next != nil
    // A server may send more than requested.
    return Array(found.prefix(max(0, query.limit ?? .max)))
  }

  private static let unreserved = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

  /// Formats a number for the server: digits and a point, no exponent.
  private static func number(_ value: Double) -> String { String(format: "%.9f", value) }

  /// Implements the protocol. Throws `closed` or `takenDown` for announcements that aren't public any more.
  public func announcement(id: String) async throws -> Announcement {
    let answer = try await sendRequest("GET", try Self.path(of: id))
    guard answer.status == 200 else { throw answer.error(about: id, of: connection.address) }
    return try decode(Announcement.self, from: answer)
  }

  /// Implements the protocol for photo ids of the server.
  public func shows(photo id: UUID) async throws -> Bool {
    let url = try connection.address.url("/images/" + id.uuidString.lowercased())
    let answer = try await connection.send(HTTPRequest(method: "HEAD", url: url.absoluteString))
    if answer.status == 404 { return false }
    guard answer.status == 200 else { throw answer.error(of: connection.address) }
    return true
  }

  /// Implements the protocol. The server chooses the password.
  public func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String,
    client: AnnouncementClient?
  ) async throws -> CreatedAnnouncement {
    let answer = try await sendRequest(
      "POST", "",
      ["Idempotency-Key": idempotencyKey.uuidString, "Content-Type": "application/json"],
      body: try JSONEncoder().encode(report))
    guard answer.status == 201 else { throw answer.error(of: connection.address) }
    let created = try decode(Created.self, from: answer)
    // An announcement without a password can't be changed. This error makes the caller create it under a new key.
    guard let password = created.managementPassword else {
      throw AnnouncementError.idempotencyMismatch
    }
    return CreatedAnnouncement(
      announcement: created.announcement, managementPassword: password)
  }

  private struct Created: Decodable {
    let announcement: Announcement
    let managementPassword: String?

    private enum CodingKeys: CodingKey { case managementPassword }

    init(from decoder: any Decoder) throws {
      announcement = try Announcement(from: decoder)
      managementPassword = try decoder.container(keyedBy: CodingKeys.self)
        .decodeIfPresent(String.self, forKey: .managementPassword)
    }
  }

  /// Implements the protocol. Also throws `PhotoError` if the server rejects the photo, and `closed`. The server counts
  /// wrong passwords itself, so `client` is ignored.
  public func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    _ = try Self.path(of: id)
    let owner = AnnouncementCredentials(id: id, managementPassword: managementPassword)
    let file = try await PhotoFile(photo)
    try await PhotoUpload(connection: connection, owner: owner, file: file, unfinished: unfinished)
      .send()
    return try await announcement(id: id)
  }

  /// Implements the protocol. The server counts wrong passwords itself, so `client` is ignored.
  public func close(
    id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    let found: Result<Announcement, any Error>
    do { found = .success(try await announcement(id: id)) } catch { found = .failure(error) }
    switch found {
    case .failure(AnnouncementError.closed), .failure(AnnouncementError.takenDown), .success: break
    case .failure(let error): throw error
    }
    // Sent even if the announcement is closed already, because the server must check the password.
    try await delete(AnnouncementCredentials(id: id, managementPassword: managementPassword))
    var closed = try found.get()
    closed.status = .closed
    closed.updatedAt = max(closed.updatedAt, Date())
    return closed
  }

  /// Implements the protocol. The server counts wrong passwords itself, so `client` is ignored.
  public func erase(id: String, managementPassword: String, client: String?) async throws {
    try await delete(
      AnnouncementCredentials(id: id, managementPassword: managementPassword), query: "?erase=true")
  }

  /// Implements the protocol. Without credentials nothing is deleted, and an announcement without a photo stays
  /// unlisted.
  public func withdraw(
    idempotencyKey: UUID, credentials: AnnouncementCredentials?
  ) async throws -> Announcement? {
    guard let credentials else { return nil }
    do {
      let found = try await announcement(id: credentials.id)
      if found.photoUrl != nil { return found }
      try await delete(credentials)
    } catch let error as AnnouncementError {
      switch error {
      case .notFound, .closed, .takenDown, .wrongPassword: return nil
      default: throw error
      }
    }
    return nil
  }

  // MARK: - Requests

  private func delete(_ owner: AnnouncementCredentials, query: String = "") async throws {
    let answer = try await sendRequest("DELETE", try Self.path(of: owner.id) + query, owner.fields)
    guard answer.status == 204 else { throw answer.error(about: owner.id, of: connection.address) }
  }

  private func sendRequest(
    _ method: String, _ path: String, _ fields: [String: String] = [:], body: Data? = nil
  ) async throws -> HTTPResponse {
    try await connection.send(
      HTTPRequest(
        method: method,
        url: try connection.address.url("/api/v1/announcements" + path).absoluteString,
        headers: fields.map { ($0, $1) }, body: body.map([UInt8].init)))
  }

  /// Returns the path of an announcement. Throws `notFound` for an id that no server creates, because other characters
  /// could change the URL.
  private static func path(of id: String) throws -> String {
    guard id.wholeMatch(of: /[0-9A-Za-z\-]{1,64}/) != nil else {
      throw AnnouncementError.notFound(id: id)
    }
    return "/" + id
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, from answer: HTTPResponse
  ) throws -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(answer.body))
    } catch {
      logger.debug("answer not understood", metadata: ["error": "\(error)"])
      throw AnnouncementError.unavailable(
        "\(connection.address) didn't answer with an announcement; it may not be a PetSpot server")
    }
  }
}
