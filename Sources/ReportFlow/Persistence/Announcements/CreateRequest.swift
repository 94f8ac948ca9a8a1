import Announcements
import Foundation
import Hashing
import PhotoModel

/// A request to create an announcement.
struct CreateRequest: Sendable {
  /// The id of the announcement if a new one is created.
  let id = UUID().uuidString.lowercased()
  let report: NewAnnouncement
  let key: UUID
  /// A digest that distinguishes reports with the same key.
  let fingerprint: String
  /// The client that may repeat the request, as digests that only this store can compute, or `nil` if the key itself is
  /// a secret.
  let client: AnnouncementClient?
  /// The earliest creation time of an announcement whose request the client may repeat.
  let repeatableSince: Date
  /// The client that a refused chip is charged to (see `ClientTries`), or `nil` to charge none.
  let countedClient: String?
  let language: Language?
  /// The mail with the code, or `nil` to send none.
  let letter: Letter?

  init(
    _ report: NewAnnouncement, key: UUID, client: AnnouncementClient?, countedClient: String?,
    language: Language?, at now: Date, letter: (_ id: String) -> Letter? = { _ in nil }
  ) throws {
    self.report = report
    self.key = key
    fingerprint = try report.fingerprint
    self.client = client
    repeatableSince = now - 24 * 3600
    self.countedClient = countedClient
    self.language = language
    self.letter = letter(id)
  }
}

extension AnnouncementClient {
  /// Returns `true` if this is the client that created an announcement. Compares browsers, regardless of their network.
  /// If either client isn't a browser, compares networks.
  package func isSame(network: String, browser: String?) -> Bool {
    if let own = self.browser, let browser { return own == browser }
    return self.network == network
  }

  /// Returns the client as digests that only the store with this secret can compute.
  func digested(_ secret: Data) -> Self {
    func digest(_ text: String) -> String {
      Data(hmac(Array("client:\(text)".utf8), key: Array(secret))).base64EncodedString()
    }
    return Self(network: digest(network), browser: browser.map(digest))
  }
}

/// The announcement that was created or found.
struct CreateResult: Sendable {
  let id: String
  /// The hash of the announcement's password.
  let hash: String
}

/// The data for checking an owner's password.
struct OwnerAccess {
  /// The owner, whose password hasn't been checked yet.
  let owner: AnnouncementOwner
  /// The hash of a mailed code that is valid and wasn't used yet.
  var newHash: String?
  /// `true` if the client has spent tries on the announcement.
  var isCounted = false
  /// The time of the client's next possible try, or `nil` if a try is possible now.
  var waitsUntil: Date?
}
