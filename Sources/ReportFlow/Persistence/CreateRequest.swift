import Announcements
import Foundation
import Hashing

/// A request to create an announcement.
struct CreateRequest: Sendable {
  /// The id of the announcement that is made, unless one is found.
  let id = UUID().uuidString.lowercased()
  /// What to announce.
  let report: NewAnnouncement
  /// Its idempotency key.
  let key: UUID
  /// Tells the report from another one under the same key.
  let fingerprint: String
  /// Who may repeat it, by digests that only this store can make; nil for a key that is a secret.
  let client: AnnouncementClient?
  /// How old an announcement may be that a client is answered again.
  let repeatableSince: Date
  /// By whom a refused chip is counted, see `ClientTries`; nil counts none.
  let countedClient: String?
  /// The language that the report is in.
  let language: Language?
  /// The mail with the code; nil for none.
  let letter: Letter?

  init(
    _ report: NewAnnouncement, key: UUID, client: AnnouncementClient?, countedClient: String?,
    language: Language?, at now: Date, letter: (_ id: String) -> Letter? = { _ in nil }
  ) throws {
    (self.report, self.key, fingerprint) = (report, key, try report.fingerprint)
    (self.client, repeatableSince) = (client, now - 24 * 3600)
    self.countedClient = countedClient
    self.language = language
    self.letter = letter(id)
  }
}

extension AnnouncementClient {
  /// Whether it's the client that made an announcement: the same browser, from any network; where one of
  /// them is no browser, the same network.
  package func isSame(network: String, browser: String?) -> Bool {
    if let own = self.browser, let browser { return own == browser }
    return self.network == network
  }

  /// The same as digests that only the store with this secret can make.
  func digested(_ secret: Data) -> Self {
    func digest(_ text: String) -> String {
      Data(hmac(Array("client:\(text)".utf8), key: Array(secret))).base64EncodedString()
    }
    return Self(network: digest(network), browser: browser.map(digest))
  }
}

/// What creating returns: the announcement that was created, or found.
struct CreateResult: Sendable {
  let id: String
  /// The hash of the password that counts.
  let hash: String
}

/// What is needed to check an owner's password.
struct OwnerAccess {
  /// The owner, whose password is still to be checked.
  let owner: AnnouncementOwner
  /// The hash of a new code that was mailed, not used yet, and still works.
  var newHash: String?
  /// Whether the client spent tries on the announcement.
  var isCounted = false
  /// When the client's next try is possible; nil when it is now.
  var waitsUntil: Date?
}
