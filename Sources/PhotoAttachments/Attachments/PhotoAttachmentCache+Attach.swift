public import ImageContainers
public import PhotoIngestion

extension PhotoAttachmentCache {
  /// What prepares photos for this cache: its policy and its decoders.
  public var pipeline: PhotoPipeline { PhotoPipeline(policy: policy, decoders: decoders) }

  /// Attaches a file, or bytes that were received, to a draft: prepares the photo in the cache's
  /// decoders, stores and records it, then gives up the photo it replaces. Until then, and when
  /// anything fails, the last good photo stays.
  ///
  /// The photo is kept until it is taken away by `clear(draft:)` or `clear(id:)`, or until `sweep` is
  /// told that attachments expire.
  ///
  /// Waiting for a thread and for a decoder holds no thread of the caller's.
  ///
  /// - Parameters:
  ///   - source: the photo.
  ///   - draft: the draft's identifier.
  ///   - owner: whose the attachment is.
  ///   - assetIdentifier: the library photo it was picked from.
  ///   - turn: waits until a large photo may be decoded; nil where large photos take no turns.
  /// - Returns: the record of the confirmed photo, with its original's position.
  /// - Throws: `StoreError.photo` with the reason for a refusal; `.cancelled` when the task was,
  ///   `.superseded` by a later attempt, `.removed` while on its way; storage and catalog errors.
  @discardableResult
  public func attach(
    _ source: PhotoSource, draft: String, of owner: AttachmentOwner = .host,
    assetIdentifier: String? = nil, waitingForTurn turn: LargeTurn? = nil
  ) async throws(StoreError) -> AttachedPhoto {
    try await save(
      draft: draft, of: owner, assetIdentifier: assetIdentifier,
      preparing: { try await prepare(source, waitingForTurn: turn) })
  }

  /// Waits until a large photo may be decoded. How large a photo is shows when a decoder has read its
  /// structure, which costs little.
  public typealias LargeTurn = @Sendable () async throws -> Void

  /// Prepares a photo in the cache's decoders, for `store`.
  ///
  /// - Parameter turn: nil where large photos take no turns. Where they do, which is where strangers see them,
  ///   the size comes along that stands for a photo where its link is shown.
  package func prepare(
    _ source: PhotoSource, waitingForTurn turn: LargeTurn? = nil
  ) async throws(StoreError) -> PreparedPhoto {
    var pipeline = pipeline
    pipeline.makesSharedSize = turn != nil
    guard let turn else { return try await run { [pipeline] in try pipeline.prepare(source) } }
    let flag = StopFlag()
    do throws(StoreError) {
      var ordinary = pipeline
      ordinary.largeFlag = flag
      return try await run { [ordinary] in try ordinary.prepare(source) }
    } catch  where flag.isSet {
      do { try await turn() } catch is CancellationError {
        throw .cancelled
      } catch {
        throw .busy(seconds: 5)
      }
      return try await run { [pipeline] in try pipeline.prepare(source) }
    }
  }
}

/// What attaching a photo returns: its record, whose properties can be used directly, and details
/// that are not stored.
@dynamicMemberLookup
public struct AttachedPhoto: Sendable, Equatable {
  /// The record of the confirmed photo.
  public var photo: PhotoAttachmentMetadata
  /// Where the original says it was taken.
  public var position: EXIF.Position?

  /// What the record says.
  public subscript<Value>(dynamicMember path: KeyPath<PhotoAttachmentMetadata, Value>) -> Value {
    photo[keyPath: path]
  }
}
