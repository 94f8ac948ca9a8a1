import CDispatch  // declares `stat` for this module
import Glibc
import HTTPTypes
import Logging
import PhotoIngestion
import ReportFlow

extension Site {
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
    let room = try await drafts.makeRoom(
      for: bytes, draft: draft, client: client?.text, in: configuration.drafts)
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
        metadata: ["bytes": "\(configuration.draftSpace)", "action": "raise --draft-space"])
      throw ErrorResponse.storageFull
    }
  }

  /// Returns the creator of a browser's draft. It checks the client's limits and makes room before it creates the
  /// draft.
  func maker(of draft: String, _ context: RequestContext) -> DraftCreator {
    DraftCreator(client: context.client.text) {
      try clients.count(.draft, of: context.client)
      try await checkFreeSpace()
      try await makeRoom(draft: draft, of: context.client)
    }
  }

  /// Creates a browser's draft unless it exists, and makes room for its photo.
  func admitPhoto(of bytes: Int, draft: String, _ context: RequestContext) async throws {
    try await DraftSession(
      draft: draft, store: drafts, photos: photos, logger: context.logger,
      maker: maker(of: draft, context)
    ).begin()
    try await makeRoom(for: bytes, draft: draft, of: context.client)
  }
}

extension PhotoSource {
  /// The size in bytes. 0 if the file can't be examined, because reading it fails later with a better error.
  var byteCount: Int {
    switch self {
    case .bytes(let bytes, _): return bytes.count
    case .open(let file, _): return file.sizeBytes
    case .file(let path, _):
      var status = stat()
      return stat("\(path)", &status) == 0 ? Int(status.st_size) : 0
    }
  }
}
