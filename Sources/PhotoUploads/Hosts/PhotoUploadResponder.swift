import Foundation
public import HTTPTypes
public import HummingbirdCore
import Logging
public import NIOCore
public import PhotoAttachments
import PhotoIngestion
import PhotoModel
import Synchronization

/// Receives photos for a host's attachments: a form, a bare `PUT` or `POST`, tus 1.0.0, and Resumable Uploads for HTTP.
///
/// Mount it at the path at which the attachment's picture is shown, and at one component below that path, which names an
/// upload in pieces. The host decides who may send a photo before it calls `respond`.
///
/// Headers state every result, because some clients never see a body: `Photo-State`, `Location`, `Repr-Digest`,
/// `Photo-Losses`, and `Upload-Error` for a refusal. If a client sends the same bytes under the same name again within
/// an hour, it gets the first response, and nothing is stored twice.
///
/// Create one responder for each cache, and share it.
public final class PhotoUploadResponder: Sendable {
  /// The methods of an attachment's path.
  public static let methods: [HTTPRequest.Method] = [.options, .post, .put]
  /// The methods of an upload's path.
  public static let uploadMethods: [HTTPRequest.Method] = [.options, .head, .patch, .post, .delete]

  private let photos: PhotoAttachmentCache
  private let limits: PhotoUploadLimits
  private let acts: UploadActs
  private let places: RequestPlaces
  private let files = WorkerPool(threadCount: 4)
  private let swept = Mutex<ContinuousClock.Instant?>(nil)

  /// Creates a responder.
  ///
  /// - Parameters:
  ///   - photos: The cache that keeps the photos. Unfinished uploads are in its folder.
  ///   - limits: The limits for clients.
  public init(_ photos: PhotoAttachmentCache, limits: PhotoUploadLimits = PhotoUploadLimits()) {
    self.photos = photos
    self.limits = limits
    places = RequestPlaces(limits)
    acts = UploadActs(
      UploadRules(FolderUploads(UploadFolder(beside: photos.folder)), limits: limits.uploads),
      site: HostSite(photos, limits, files), files: files, waits: UploadWaits(perClient: 2))
  }

  /// Responds to a request for an attachment's photo.
  ///
  /// - Parameters:
  ///   - request: A request whose client may change the attachment.
  ///   - key: The attachment.
  ///   - token: The upload that the path names, below the attachment's path.
  ///   - client: The client's name, such as its account or address. Limits count by it.
  ///   - channel: The connection, for interim responses. Apple's systems can't resume an upload without them.
  /// - Returns: 201 with headers about the stored photo, the response of a protocol, or a refusal with a reason in JSON.
  /// - Throws: Errors that the client can't do anything about. Log them and respond with 500.
  public func respond(
    to request: Request, for key: AttachmentKey, upload token: String? = nil, from client: String,
    on channel: (any Channel)? = nil
  ) async throws -> Response {
    let id = UUID().uuidString.lowercased()
    do {
      let request = token == nil ? request : try Tus.meant(by: request)
      let host = HostRequest(request, id: id, from: client, upload: token, on: channel)
      guard request.headers.hasBody else { return try await respond(to: host, for: key) }
      return try await places.run(for: client) {
        try await host.ending(below: limits.bytesPerSecond) { [self] in
          try await respond(to: host, for: key)
        }
      }
    } catch {
      guard var failure = HTTPFailure(hosting: error), failure.status != .internalServerError else {
        throw error
      }
      // The rest of the body would be received without limits.
      if request.headers.hasBody { failure.headers[.connection] = "close" }
      let response = failure.response(requestID: id)
      return request.method == .head ? response.createHeadResponse() : response
    }
  }

  private func respond(to host: HostRequest, for key: AttachmentKey) async throws -> Response {
    let uploads = UploadsResource<HostRequest>(acts: acts) { [self] host in owner(of: key, host) }
    let isUpload = !host.uploadToken.isEmpty
    switch (host.request.method, isUpload) {
    case (.options, _):
      var response = try await uploads.options(host)
      response.headers[.allow] = Self.allowed(isUpload)
      return response
    case (.post, false), (.put, false):
      sweepIfDue()
      return try await receive(host, for: key, uploads)
    case (.head, true): return try await uploads.sendOffset(host)
    case (.patch, true): return try await uploads.append(host)
    case (.delete, true): return try await uploads.remove(host)
    default:
      let allow = Self.allowed(isUpload)
      throw HTTPFailure(
        405, "METHOD_NOT_ALLOWED", "This address accepts only \(allow).", headers: [.allow: allow])
    }
  }

  private static func allowed(_ isUpload: Bool) -> String {
    (isUpload ? uploadMethods : methods).map(\.rawValue).joined(separator: ", ")
  }

  // MARK: - Whole photos

  /// Receives a photo in one request, or creates an upload in pieces.
  private func receive(
    _ host: HostRequest, for key: AttachmentKey, _ uploads: UploadsResource<HostRequest>
  ) async throws -> Response {
    if let response = try await uploads.rufh.create(host) { return response }
    let headers = host.request.headers
    if headers[.tusResumable] != nil { return try await uploads.tus.create(host) }
    do {
      try await acts.site.checkFreeSpace(for: headers.bodyLength)
      let isPart =
        headers[.uploadComplete] == "?0" || headers[.uploadIncomplete] == "?1"
        || headers[.contentRange] != nil
      let form = try await UploadedForm.receive(
        host, in: PhotoSpool(photos.folder, on: files), limit: limits.photoBytes,
        takesBare: !isPart)
      guard let source = form.source else {
        throw HTTPFailure(
          400, "MISSING_FILE", "There is no photo in a part named photo.", field: "photo")
      }
      return Self.confirming(try await attach(source, to: key), at: host)
    } catch {
      guard let failure = HTTPFailure(hosting: error), failure.status.refusesPhoto else {
        throw error
      }
      throw failure.markingPhotoRefused
    }
  }

  /// Attaches a photo, unless it is the one that the attachment already shows.
  private func attach(
    _ source: PhotoSource, to key: AttachmentKey
  ) async throws -> PhotoAttachmentMetadata {
    if let photo = try await photos.recordedPhoto(of: key),
      try await files.run({ try source.isRepeated(of: photo) }), await isShown(photo, by: key)
    {
      return photo
    }
    return try await photos.attach(source, to: key).photo
  }

  /// Returns `true` if the attachment shows this photo. A picture that can't be read is replaced by a new upload.
  private func isShown(_ photo: PhotoAttachmentMetadata, by key: AttachmentKey) async -> Bool {
    do throws(StoreError) { return try await photos.photo(of: key)?.id == photo.id } catch {
      photos.logger.warning("picture not read", metadata: ["error": "\(error)"])
      return false
    }
  }

  private static func confirming(
    _ photo: PhotoAttachmentMetadata, at host: HostRequest
  ) -> Response {
    var response = Response(
      status: .created, headers: [.location: host.uploadsURL, .cacheControl: "no-store"])
    response.state(photo)
    return response
  }

  // MARK: - Uploads in pieces

  private func owner(of key: AttachmentKey, _ host: HostRequest) -> UploadOwner {
    let stored: @Sendable () async throws -> PhotoAttachmentMetadata? = { [photos] in
      try await photos.photo(of: key)
    }
    return UploadOwner(
      name: "key:" + key.text,
      attach: { [self] source in _ = try await attach(source, to: key) },
      stored: stored,
      confirmed: {
        guard let photo = try await stored() else { throw HTTPFailure.notFound }
        return Self.confirming(photo, at: host)
      })
  }

  /// Deletes expired uploads every five minutes, in the background.
  private func sweepIfDue() {
    let now = ContinuousClock.now
    let isDue = swept.withLock { swept in
      if let last = swept, now - last < .seconds(300) { return false }
      swept = now
      return true
    }
    guard isDue else { return }
    // Detached, because the upload that is due next must not wait for it.
    Task.detached { [acts, files, photos] in
      do { try await files.run { _ = try acts.rules.sweep() } } catch {
        photos.logger.warning("uploads not swept", metadata: ["error": "\(error)"])
      }
    }
  }
}

/// The host around the protocols.
private struct HostSite: UploadSite {
  let freeSpace: FreeSpace
  let photoBytes: Int
  let files: WorkerPool

  init(_ photos: PhotoAttachmentCache, _ limits: PhotoUploadLimits, _ files: WorkerPool) {
    freeSpace = FreeSpace(folder: photos.folder.path, kept: limits.freeBytes)
    photoBytes = limits.photoBytes
    self.files = files
  }

  func checkFreeSpace(for bytes: Int?) async throws {
    // Larger bodies are rejected later as too large.
    let bytes = min(bytes ?? 0, 2 * photoBytes)
    if try await files.run({ freeSpace.isLow(for: bytes) }) { throw HTTPFailure.storageFull }
  }

  func failure(for error: any Error) -> HTTPFailure? { HTTPFailure(hosting: error) }
}

extension PhotoUploadLimits {
  /// The limits of uploads in pieces.
  fileprivate var uploads: UploadLimits {
    var uploads = UploadLimits()
    uploads.length = photoBytes
    uploads.openPerClient = unfinishedPerClient
    uploads.open = unfinished
    uploads.bytesPerClient = unfinishedBytesPerClient
    uploads.bytes = unfinishedBytes
    uploads.life = lifetime / .seconds(1)
    return uploads
  }
}
