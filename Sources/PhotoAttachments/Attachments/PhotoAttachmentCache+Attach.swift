public import ImageContainers
public import PhotoIngestion

extension PhotoAttachmentCache {
  /// The pipeline that prepares photos for this cache, with its policy and its decoders.
  public var pipeline: PhotoPipeline { PhotoPipeline(policy: policy, decoding: decoding) }

  /// Attaches a photo to a draft, as `attach(_:to:)` does for a host.
  ///
  /// The photo is kept until `remove(draft:)` or `remove(id:)` removes it, or until a `sweep` that expires attachments.
  @discardableResult
  package func attach(
    _ source: PhotoSource, draft: String, of owner: AttachmentOwner = .host,
    assetIdentifier: String? = nil
  ) async throws(StoreError) -> AttachedPhoto {
    try await save(
      draft: draft, of: owner, assetIdentifier: assetIdentifier,
      preparing: { try await prepare(source, in: nil) })
  }

  /// Prepares a photo in the cache's decoders, for `store`.
  ///
  /// With `turns`, a photo first waits for a turn: the permission to use the decoders for a photo of a certain weight.
  /// A decoder can weigh a photo once it has read the photo's structure, which costs little. If the photo is too heavy
  /// for its turn, decoding ends there, and the photo is prepared again in a heavier turn.
  ///
  /// - Parameter turns: the queue for strangers' photos. With `nil`, photos take no turns. With turns, the shared size
  ///   is made along with the photo, because link previews show it.
  package func prepare(
    _ source: PhotoSource, in turns: (any DecodingTurns)?
  ) async throws(StoreError) -> PreparedPhoto {
    guard let turns else {
      return try await runBlocking { [pipeline] in try pipeline.prepare(source) }
    }
    var weight = DecodingWeight.light
    while true {
      let turn = DecoderTurn(weight)
      do {
        return try await turns.pass(turn) {
          var pipeline = self.pipeline
          pipeline.makesSharedSize = true
          pipeline.turn = turn
          return try await runBlocking { [pipeline] in try pipeline.prepare(source) }
        }
      } catch {
        guard let heavier = turn.heavier, heavier > weight else { throw StoreError(error) }
        weight = heavier
      }
    }
  }
}

/// A queue in which photos wait for their turn at the decoders.
package protocol DecodingTurns: Sendable {
  /// Runs `work` when its turn comes, then charges the client with the turn's cost.
  ///
  /// - Throws: the errors of `work`. `CancellationError` if the task is cancelled while it waits.
  func pass<Value: Sendable>(
    _ turn: DecoderTurn, _ work: () async throws -> Value
  ) async throws -> Value
}

/// The result of attaching a photo. Adds details that aren't stored to the record, whose properties are also available
/// directly.
@dynamicMemberLookup
public struct AttachedPhoto: Sendable, Equatable {
  /// The record of the confirmed photo.
  public var photo: PhotoAttachmentMetadata
  /// The place where the photo was taken, according to the original's metadata.
  public var position: EXIF.Position?

  /// Creates the result of attaching a photo.
  public init(photo: PhotoAttachmentMetadata, position: EXIF.Position?) {
    self.photo = photo
    self.position = position
  }

  /// Returns a property of the record.
  public subscript<Value>(dynamicMember path: KeyPath<PhotoAttachmentMetadata, Value>) -> Value {
    photo[keyPath: path]
  }
}
