package import PhotoIngestion

/// Keeps uploads that may be interrupted and go on. Calls block their thread for the store's own work
/// only, never for a client or another request: run them on a pool for input and output.
///
/// Two promises hold in every storage: an offset that was answered survives SIGKILL and power loss, and a
/// newer request for an upload takes it away from an older one, wherever that runs. All calls throw
/// `UploadError`, or `StoreError` when the store itself cannot be used.
package protocol UploadStorage: Sendable {
  /// Makes an upload, which lasts when this returns. One of no bytes is complete at once; that an
  /// empty photo is none is said where photos are judged.
  ///
  /// - Parameters:
  ///   - owner: the draft or announcement that may use it.
  ///   - client: the name of the client it comes from; open ones are counted by it. When all places are
  ///     taken, an upload of the client with the most gives up its own, as one does that gets no byte for
  ///     `UploadLimits.idle`; its bytes stay.
  ///   - length: bytes of the whole file, not negative; nil while the client does not know it.
  ///   - fileName: as the client gave it.
  /// - Throws: `.tooLarge`, `.tooManyOpen`, `.busy`, `.storageFull`.
  func create(owner: String, client: String, length: Int?, fileName: String?) throws -> Upload

  /// An upload as it stands. One that is being written is cut first, so that its offset stays until
  /// the next request; one whose bytes are all here is left alone.
  ///
  /// - Throws: `.notFound`, `.expired`.
  func look(_ token: String, owner: String) throws -> Upload

  /// Takes an upload to add bytes at its end; an older request that was adding some is cut.
  ///
  /// - Parameters:
  ///   - offset: where the client's bytes belong.
  ///   - count: how many are announced, nil when that is not known.
  /// - Throws: `.notFound`, `.expired`, `.wrongOffset`, `.pastLength`, or `.tooLarge` while the length is
  ///   not known, `.inUse`; `.tooManyOpen` and `.busy` when it has given up its place and finds none.
  func append(
    _ token: String, owner: String, at offset: Int, adding count: Int?
  ) throws -> UploadAppending

  /// Deletes an upload; a request that was adding bytes is cut.
  ///
  /// - Throws: `.notFound`, `.expired`, `.inUse`.
  func remove(_ token: String, owner: String) throws

  /// Deletes what is due: the bytes of expired uploads and what is not remembered any more. What is in
  /// use is left for the next time. Run it every few minutes.
  ///
  /// - Returns: of how many uploads something was deleted.
  @discardableResult func sweep() throws -> Int
}

/// What adding bytes to an upload leads to.
package enum UploadAppending {
  /// The bytes go here.
  case writer(any UploadWriting)
  /// Nothing is left to do: this is what became of it.
  case finished(Upload, UploadOutcome)
}

/// Holds an upload and adds bytes to it. Calls block.
///
/// Until all bytes are here a newer request takes the upload away: what was answered stays, and the next
/// call throws `.cut`. Once `sync` has said that all are here, it is held until `finish` or `close`, so
/// that no photo is worked on twice; others meet `.inUse`. Its holder may die: then others may go on.
///
/// Call `close` on every way out; letting go of the last reference does the same.
package protocol UploadWriting: AnyObject, Sendable {
  /// The upload as it was when it was taken, with the length that it has now.
  var upload: Upload { get }

  /// Records the whole file's size, which was not known. Call `declare`, which looks whether it may be.
  ///
  /// - Throws: `.pastLength` when more bytes are here.
  func setLength(_ length: Int) throws

  /// Adds bytes.
  ///
  /// - Throws: `.pastLength` or `.tooLarge`, and none of these bytes is taken; `.cut`; `.storageFull`.
  func write(_ bytes: UnsafeRawBufferPointer) throws

  /// Makes what was written survive SIGKILL and power loss.
  ///
  /// - Returns: the offset the upload has reached. When it is its length, the upload stays held.
  func sync() throws -> Int

  /// The file as a photo's source, once `sync` has said that all bytes are here; readable while the
  /// source lives.
  func source() throws -> PhotoSource

  /// Remembers what became of the upload, deletes its bytes and lets go of it. After a failure it is
  /// as open as before, and held.
  ///
  /// - Returns: the finished upload.
  @discardableResult func finish(_ outcome: UploadOutcome) throws -> Upload

  /// Lets go of the upload; what was answered stays. Nothing happens when it is not held any more.
  func close()
}

extension UploadWriting {
  /// Takes what a request says of the whole file's size: it is recorded once, and stays.
  ///
  /// - Throws: `.otherLength`, `.tooLarge`, `.pastLength`, and nothing has changed.
  package func declare(length: Int) throws {
    let upload = upload
    if upload.hasLength {
      guard length == upload.length else { throw UploadError.otherLength(expected: upload.length) }
    } else {
      guard length <= upload.length else {
        throw UploadError.tooLarge(limit: upload.length, actual: length)
      }
      try setLength(length)
    }
  }
}
