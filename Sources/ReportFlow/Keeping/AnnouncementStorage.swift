public import Announcements
public import Foundation
import Hashing

/// Where announcements are kept. What may be done with them, and by whom, `AnnouncementStore` knows; a
/// storage finds and writes.
///
/// Each act is one step that is done or not done, on its own and beside others, of this process or
/// another; what it has written is on the disk when it returns. No act blocks its thread. Every act
/// throws, beside what it says, `StoreError`: nothing has changed then, unless the answer itself was
/// lost. Of an id or a client with a zero byte there is nothing.
public protocol AnnouncementStorage: Sendable {
  /// See `AnnouncementRepositoryProtocol`; found through indexes. Never asked for an order by distance
  /// without a place.
  func announcements(matching query: AnnouncementListQuery) async throws -> [Announcement]

  /// The announcement of this id; nil when there is none, or when its row breaks a rule, which is logged.
  func announcement(id: String) async throws -> Announcement?

  /// Whether an announcement of this id was erased here (decision 44).
  func isErased(id: String) async throws -> Bool

  /// See `AnnouncementRepositoryProtocol`.
  func ids(beginning text: String, limit: Int) async throws -> [String]

  /// See `AnnouncementRepositoryProtocol`; found through an index.
  func shows(photo id: UUID) async throws -> Bool

  /// See `DraftStorage`: the same secret.
  func secret() async throws -> Data

  /// The announcement of the request's key; nil when there is none.
  ///
  /// - Throws: `idempotencyMismatch` when it was made of another report. One of an older program, which
  ///   kept no fingerprint, is taken for the same. `keyTaken` when the request names a client that isn't
  ///   the one that made it after `repeatableSince`, and when it was erased.
  func find(_ request: CreateRequest) async throws -> KeptAnnouncement?

  /// Writes the report with this hash of its password, or finds the announcement of its key. A chip
  /// that is refused is a try of `countedClient`, see `ClientTries`; without one nothing is counted.
  ///
  /// - Throws: as `find`, `duplicateMicrochip`, and `throttled` for a chip that wasn't looked for.
  func findOrMake(
    _ request: CreateRequest, hash: String, at now: Date
  ) async throws -> KeptAnnouncement

  /// Photo and reference in one step: from here on the photo cannot be deleted. The hash is held against
  /// the row once more, and the chip, since this is what puts it on the lists. The photo it had before
  /// goes, unless another one shows it; and so does the draft that held the photo until now.
  ///
  /// - Throws: `notFound`, `takenDown`, `missingPhoto`, `duplicateMicrochip`.
  func attach(
    _ photo: AnnouncementPhoto, to id: String, hash: String, at now: Date
  ) async throws

  /// Changes what the open announcement with this hash says, in one step with reading it. Nothing is
  /// written when `edit` changes nothing, or returns why not. A chip that is refused is a try of `client`,
  /// as in `findOrMake`.
  ///
  /// - Throws: `notFound`, `closed`, `takenDown`, what `edit` returns, `duplicateMicrochip`, `throttled`.
  func change(
    id: String, hash: String, client: String?, at now: Date,
    _ edit: @escaping @Sendable (inout NewAnnouncement) -> AnnouncementError?
  ) async throws

  /// Takes the announcement with this hash out of the lists; done before, or gone, is no error.
  func close(id: String, hash: String, at now: Date) async throws

  /// Takes the announcement down for this reason, which closes it for visitors; without a reason it is
  /// as its owner left it again. Done before is no error.
  ///
  /// - Throws: `notFound`; `duplicateMicrochip` when it would be open beside another one with its chip.
  func hide(id: String, reason: String?, at now: Date) async throws

  /// Deletes the announcement with this hash, or with any for an operator, who has none; the draft it was
  /// made of, since it has the same contact data; and its photo, unless another announcement or draft
  /// shows it. Gone is no error. What is deleted leaves a mark (`ErasureMark`).
  func erase(id: String, hash: String?) async throws

  /// See `AnnouncementRepositoryProtocol`; the key says enough here.
  func withdraw(key: UUID) async throws -> Announcement?

  /// How an announcement and a client's tries stand, without counting one.
  ///
  /// - Throws: `notFound`.
  func look(id: String, client: String?, at now: Date) async throws -> OwnerLook

  /// Counts a try of a client that is not known to be right, as `ClientTries` says, and looks as
  /// before it in the same step; without a client nothing is counted. Tries of one client are counted
  /// one after the other.
  ///
  /// - Throws: `notFound`, `throttled`; nothing is counted then.
  func countTry(id: String, client: String?, at now: Date) async throws -> OwnerLook

  /// Gives a client back the tries that it spent on an announcement.
  func forgetTries(id: String, client: String) async throws
}

/// What a create asks for.
public struct CreateRequest: Sendable {
  /// What to announce.
  public let report: NewAnnouncement
  /// Its idempotency key.
  public let key: UUID
  /// Tells the report from another one under the same key.
  public let fingerprint: String
  /// Who may repeat it, by digests that only this store can make; nil for a key that is a secret.
  public let client: AnnouncementClient?
  /// How old an announcement may be that a client is answered again.
  public let repeatableSince: Date
  /// By whom a refused chip is counted, see `ClientTries`; nil counts none.
  public let countedClient: String?

  init(
    _ report: NewAnnouncement, key: UUID, client: AnnouncementClient?, countedClient: String?,
    at now: Date
  ) throws {
    (self.report, self.key, fingerprint) = (report, key, try report.fingerprint)
    (self.client, repeatableSince) = (client, now - 24 * 3600)
    self.countedClient = countedClient
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

/// An announcement that a create made, or found.
public struct KeptAnnouncement: Sendable {
  /// Its id.
  public let id: String
  /// The hash of the password that counts.
  public let hash: String

  /// One of these parts.
  public init(id: String, hash: String) { (self.id, self.hash) = (id, hash) }
}

/// How an announcement and a client's tries stand.
public struct OwnerLook: Sendable {
  /// The hash of the announcement's password.
  public let hash: String
  /// Whether the client spent tries on the announcement.
  public let isCounted: Bool
  /// When the client's next try is possible; nil when it is now.
  public let waitsUntil: Date?

  /// A look of these parts.
  public init(hash: String, isCounted: Bool, waitsUntil: Date?) {
    (self.hash, self.isCounted, self.waitsUntil) = (hash, isCounted, waitsUntil)
  }
}
