import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoAttachments
import PhotoUploads
import ReportFlow
import ServiceLifecycle

/// The status of a draft's photo, as one response or as a stream of changes.
struct PhotoStatusFeed: Sendable {
  let stores: Stores
  let receiving: ReceivingUploads
  let streams: StatusStreams

  /// The interval at which a silent stream sends a comment.
  private static let heartbeat = Duration.seconds(15)
  /// The time after which a stream ends. Browsers open a new one.
  private static let maxDuration = Duration.seconds(600)

  /// `GET /report/photo/status`
  @Sendable func streamStatus(_ context: RequestContext) async throws -> Response {
    let words = PageRenderer(context).words
    // A browser without a draft has no photo, and needs no secret for that response.
    guard let draft = try await DraftCookie.draft(of: context, in: stores) else {
      return answer(.json(.ok, PhotoStatusResponse(.empty, failure: nil, in: words)))
    }
    guard context.header(.accept)?.contains("text/event-stream") == true else {
      return answer(.json(.ok, try await response(of: draft, in: words)))
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "private, no-store",
      ],
      body: ResponseBody { try await write(of: draft, in: words, for: context, to: &$0) })
  }

  /// Returns the photo's status, which is loading while bytes arrive.
  private func response(of draft: String, in words: Words) async throws -> PhotoStatusResponse {
    let snapshot = try await stores.photos.snapshot(draft: draft)
    let isArriving = receiving.contains(
      Upload.owner(draft: draft), besides: snapshot.status)
    return PhotoStatusResponse(
      isArriving ? .loading : snapshot.status, failure: snapshot.failure, in: words)
  }

  private func answer(_ response: Response) -> Response {
    var response = response
    response.headers[.cacheControl] = "private, no-store"
    return response
  }

  /// Writes the statuses as events (WHATWG HTML, 9.2), and comments if nothing changes, until the client leaves.
  private func write(
    of draft: String, in words: Words, for context: RequestContext,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    let stream = streams.open(draft, context.client)
    defer { streams.close(stream) }
    context.channel.triggerUserOutboundEvent(DepartureWatch(left: stream.end), promise: nil)
    let stop = stores.photos.catalog.watch(draft: draft) { _ in stream.noteChange() }
    defer { stop() }
    let owner = Upload.owner(draft: draft)
    let end = ContinuousClock.now + Self.maxDuration
    var written = ContinuousClock.now
    var last: String?
    var wasArriving = false
    for await _ in stream.wakeUps {
      guard ContinuousClock.now < end else { break }
      let isArriving = receiving.contains(owner, besides: .empty)
      if stream.takeChange() || isArriving != wasArriving {
        wasArriving = isArriving
        // This query needs more memory than the rest of the stream, so it runs in a short task.
        let data = try? await inOwnTask {
          let encoder = JSONEncoder()
          encoder.outputFormatting = .sortedKeys
          return String(
            decoding: try encoder.encode(try await response(of: draft, in: words)), as: UTF8.self)
        }
        if let data, data != last {
          last = data
          written = .now
          try await writer.write(ByteBuffer(string: "event: status\ndata: \(data)\n\n"))
        }
      }
      if .now - written >= Self.heartbeat {
        written = .now
        try await writer.write(ByteBuffer(string: ": \n\n"))
      }
    }
    try await writer.finish(nil)
  }
}
