import HTTPTypes
import Logging
import PhotoIngestion
import ReportFlow

/// Checks the limits of web drafts before one grows.
struct DraftAdmission: Sendable {
  private let stores: Stores
  private let limits: Limits
  private let logger: Logger

  init(_ stores: Stores, _ limits: Limits, _ logger: Logger) {
    self.stores = stores
    self.limits = limits
    self.logger = logger
  }

  /// Makes room for a browser's draft, and logs which drafts were deleted for it (see `DraftSpace`).
  ///
  /// - Parameters:
  ///   - bytes: the size of a photo that replaces the draft's photo. `nil` if the photo doesn't change.
  ///   - draft: the draft. `nil` checks only the limit of the whole space.
  ///   - client: the draft's client.
  /// - Throws: 429 if the client's share is used up, 507 if the whole space is.
  func makeRoom(
    for bytes: Int? = nil, draft: String? = nil, of client: ClientNetwork? = nil
  ) async throws {
    let room = try await stores.drafts.makeRoom(
      for: bytes, draft: draft, client: client?.text, in: limits.drafts)
    switch room {
    case .made(0, _, _): break
    case .made(let count, let files, let size):
      logger.notice(
        "drafts deleted to make room",
        metadata: [
          "drafts": "\(count)", "files": "\(files)", "bytes": "\(size)",
          "client": "\(client?.text ?? "-")",
        ])
    case .shareUsedUp:
      throw ErrorResponse(
        .throttled,
        "Unpublished reports from your network already use all the space they're allowed. Publish one, remove "
          + "its photo or send a smaller one, or try again later.",
        headers: [.retryAfter: "60"])
    case .spaceUsedUp:
      logger.warning(
        "no draft can be deleted to make room",
        metadata: ["bytes": "\(limits.drafts.bytes)", "action": "raise --draft-space"])
      throw ErrorResponse.storageFull
    }
  }

  /// Returns the creator of a browser's draft. It checks the client's limits and makes room before it creates the
  /// draft.
  func maker(of draft: String, _ context: RequestContext) -> DraftCreator {
    DraftCreator(client: context.client.text) {
      try limits.clients.count(.draft, of: context.client)
      try await limits.checkFreeSpace()
      try await makeRoom(draft: draft, of: context.client)
    }
  }

  /// Creates a browser's draft unless it exists, and makes room for its photo.
  func admitPhoto(of bytes: Int, draft: String, _ context: RequestContext) async throws {
    try await DraftSession(
      draft: draft, store: stores.drafts, photos: stores.photos, logger: logger,
      maker: maker(of: draft, context)
    ).begin()
    try await makeRoom(for: bytes, draft: draft, of: context.client)
  }
}
