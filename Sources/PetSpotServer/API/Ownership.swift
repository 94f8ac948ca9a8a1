import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

extension AnnouncementStore {
  /// Authorizes the owner of the announcement in the address, before a body is read.
  ///
  /// - Throws: 401 without usable credentials, then 404, then 403 for a wrong password or another announcement's
  ///   credentials, 429.
  func owner(of context: RequestContext) async throws -> AnnouncementOwner {
    guard let credentials = BasicCredentials(context.header(.authorization) ?? "") else {
      throw ErrorResponse(
        .unauthenticated,
        "Send the announcement's id and its managementPassword as Basic credentials.",
        headers: [.wwwAuthenticate: "Basic realm=\"announcement\", charset=\"UTF-8\""])
    }
    let id = try context.announcementID
    guard credentials.user == id else {
      _ = try await announcement(id: id)
      throw ErrorResponse(
        .unauthorized,
        "These credentials belong to another announcement. Use those of this one.")
    }
    return try await authorize(
      id: id, managementPassword: credentials.password, client: context.client.text)
  }

  /// Authorizes the owner of an open announcement.
  ///
  /// - Throws: errors of `owner(of:)`, then 410 if the announcement is closed or taken down.
  func ownerOfOpen(_ context: RequestContext) async throws -> AnnouncementOwner {
    let owner = try await owner(of: context)
    try owner.requireOpen()
    return owner
  }
}

/// A name and a password from a header (RFC 7617).
struct BasicCredentials: Equatable {
  let user: String
  let password: String

  /// Returns `nil` for another scheme, bad base64, text that is not UTF-8, an empty part, or control characters.
  init?(_ header: String) {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard header.utf8.count <= 1024, parts.count == 2, parts[0].lowercased() == "basic",
      let data = Data(base64Encoded: parts[1].trimmingCharacters(in: .whitespaces)),
      let text = String(validating: data, as: UTF8.self),
      let colon = text.firstIndex(of: ":"),
      !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { return nil }
    user = String(text[..<colon])
    password = String(text[text.index(after: colon)...])
    if user.isEmpty || password.isEmpty { return nil }
  }
}
