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
  /// - Returns: the record of the confirmed photo, with its original's position.
  /// - Throws: `StoreError.photo` with the reason for a refusal; `.cancelled` when the task was,
  ///   `.superseded` by a later attempt, `.removed` while on its way; storage and catalog errors.
  @discardableResult
  public func attach(
    _ source: PhotoSource, draft: String, of owner: AttachmentOwner = .host,
    assetIdentifier: String? = nil
  ) async throws(StoreError) -> AttachedPhoto {
    try await save(
      draft: draft, of: owner, assetIdentifier: assetIdentifier,
      preparing: { try await prepare(source) })
  }

  /// Prepares a photo in the cache's decoders, for `store`.
  ///
  /// A decoder knows what a photo weighs once it has read its structure, which costs little. A photo that is too
  /// heavy for its turn ends then, and is prepared in another one.
  ///
  /// - Parameter turns: nil where photos take no turns. Where they do, which is where strangers see them, the
  ///   size comes along that stands for a photo where its link is shown.
  package func prepare(
    _ source: PhotoSource, in turns: (any DecodingTurns)? = nil
  ) async throws(StoreError) -> PreparedPhoto {
    guard let turns else { return try await run { [pipeline] in try pipeline.prepare(source) } }
    var weight = DecodingWeight.light
    while true {
      let turn = DecoderTurn(weight)
      do {
        return try await turns.pass(turn) {
          var pipeline = self.pipeline
          pipeline.makesSharedSize = true
          pipeline.turn = turn
          return try await run { [pipeline] in try pipeline.prepare(source) }
        }
      } catch {
        guard let heavier = turn.heavier, heavier > weight else { throw StoreError(error) }
        weight = heavier
      }
    }
  }
}

/// Where photos wait for their turn at the decoders.
package protocol DecodingTurns: Sendable {
  /// Runs work when it is its turn, which is charged with what the turn has cost then.
  ///
  /// - Throws: what `work` throws; `CancellationError` while it waits.
  func pass<Value: Sendable>(
    _ turn: DecoderTurn, _ work: () async throws -> Value
  ) async throws -> Value
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
