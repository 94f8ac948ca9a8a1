public import Foundation
public import ImageContainers
public import PhotoIngestion
public import PhotoModel

/// A host's name for an attachment, such as the identifier of the row that the photo belongs to.
public struct AttachmentKey: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The name. It is case-sensitive.
  public let text: String

  /// Creates a key.
  public init(_ text: String) { self.text = text }

  /// Creates a key from a literal.
  public init(stringLiteral text: String) { self.text = text }
}

/// Attachments of hosts. They are kept until the host removes them.
extension PhotoAttachmentCache {
  /// Attaches a photo, from a file or from received bytes.
  ///
  /// Prepares the photo in the cache's decoders, stores and records it, then deletes the photo that it replaces. Until
  /// then, and if anything fails, the previous photo stays. While it waits for a thread and a decoder, it blocks no
  /// thread of the caller.
  ///
  /// - Parameters:
  ///   - source: The photo.
  ///   - key: The host's name for the attachment.
  ///   - assetIdentifier: The library photo that it was picked from.
  /// - Returns: The record of the confirmed photo, with its original's position.
  /// - Throws: `StoreError.photo` with the reason for a refusal. `.cancelled` if the task was cancelled. `.superseded`
  ///   if a later attempt replaced this one. `.removed` if the attachment was removed meanwhile. Storage and catalog
  ///   errors.
  @discardableResult
  public func attach(
    _ source: PhotoSource, to key: AttachmentKey, assetIdentifier: String? = nil
  ) async throws(StoreError) -> AttachedPhoto {
    try await attach(source, draft: key.text, of: .host, assetIdentifier: assetIdentifier)
  }

  /// Attaches a library photo. Only a record is written, and nothing is decoded. The attachment shares the library
  /// photo's blob and has its ID as `assetIdentifier`.
  ///
  /// - Returns: The record of the confirmed photo.
  /// - Throws: `StoreError.missingPhoto` if the library has no such photo or its blob is missing. In that case the
  ///   status doesn't change.
  @discardableResult
  public func attach(
    asset: UUID, to key: AttachmentKey
  ) async throws(StoreError) -> PhotoAttachmentMetadata {
    try await attach(asset: asset, draft: key.text, of: .host)
  }

  /// Attaches a photo that the host prepares in its own way.
  ///
  /// - Parameters:
  ///   - key: The host's name for the attachment.
  ///   - prepare: Runs a `PhotoPipeline` and throws `PhotoError`. It is called once on a thread of the cache.
  /// - Throws: `StoreError.photo` with the error of `prepare`. The errors of `attach(_:to:)`.
  @discardableResult
  public func attach(
    to key: AttachmentKey, preparing prepare: @escaping @Sendable () throws -> PreparedPhoto
  ) async throws(StoreError) -> AttachedPhoto {
    try await save(draft: key.text, of: .host, prepare: prepare)
  }

  /// Returns the status of an attachment. While a photo's blob is missing or damaged, the status is `empty`.
  ///
  /// - Throws: Catalog errors.
  public func status(of key: AttachmentKey) async throws(StoreError) -> PhotoAttachmentStatus {
    try await status(draft: key.text)
  }

  /// Returns the reason why the last attempt ended without a photo (`StoreError.code`); `nil` after a success or if
  /// nothing was attempted.
  public func failure(of key: AttachmentKey) async throws(StoreError) -> String? {
    try await failure(draft: key.text)
  }

  /// Returns the confirmed photo of an attachment, whose blob has exactly the recorded bytes; `nil` if the attachment
  /// is empty or loading.
  public func photo(of key: AttachmentKey) async throws(StoreError) -> PhotoAttachmentMetadata? {
    try await load(draft: key.text)
  }

  /// Returns the picture of an attachment that fits a screen, as `picture(of:fitting:as:)` does for a photo; `nil` if the
  /// attachment shows no photo.
  public func picture(
    of key: AttachmentKey, fitting side: Int, as format: ImageFormat = .webp
  ) async throws(StoreError) -> StoredPicture? {
    guard let photo = try await recordedPhoto(of: key) else { return nil }
    return try await picture(of: photo, fitting: side, as: format)
  }

  /// Streams the status of an attachment: the current one, then one after each change, in commit order. Changes by
  /// other processes are noticed within a second. A slow reader may miss statuses in between, but never the newest.
  public func statuses(of key: AttachmentKey) -> AsyncStream<PhotoAttachmentStatus> {
    statuses(draft: key.text)
  }

  /// Removes the attachment's photo and cancels any attempt in progress. Succeeds if there is nothing to remove.
  ///
  /// - Returns: The last picture that could not be deleted. `sweep` deletes it later.
  @discardableResult
  public func remove(_ key: AttachmentKey) async throws(StoreError) -> NotDeleted? {
    try await remove(draft: key.text)
  }

  /// Records that the attachment is in use, for a `sweep` that expires the host's attachments.
  public func keepAlive(_ key: AttachmentKey) async throws(StoreError) {
    try await keepAlive(draft: key.text)
  }

  /// Returns the keys of a page of the host's attachments that show a photo, in their order.
  ///
  /// - Parameters:
  ///   - last: The last key of the page before; `nil` for the first page.
  ///   - limit: The maximum number of keys.
  public func keys(
    after last: AttachmentKey? = nil, limit: Int = 1_000
  ) async throws(StoreError) -> [AttachmentKey] {
    try await catalog.database.reading(.list) { t in
      try t.rows(
        """
        SELECT draft FROM attachment WHERE owner = 'host' AND photo IS NOT NULL AND draft > $1
        ORDER BY draft LIMIT $2
        """, [.text(last?.text ?? ""), .int(Int64(limit))]
      ).compactMap { $0.text(0).map { AttachmentKey($0) } }
    }
  }
}
