import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoAttachments
import ReportFlow
import ServiceLifecycle

/// Where the photo of a draft stands, once or as it changes.
struct PhotoStatusFeed: Sendable {
  let site: Site

  /// How often a silent stream says that it lives.
  private static let heartbeat = Duration.seconds(15)
  /// A stream ends by itself; browsers come back.
  private static let maxDuration = Duration.seconds(600)

  /// `GET /report/photo/status`
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let words = PageRenderer(context, on: site).words
    // A browser without a draft has no photo, and needs no secret to learn that.
    guard let draft = try await DraftCookie.draft(of: context, on: site) else {
      return answer(.json(.ok, PhotoStatusResponse(.empty, failure: nil, in: words)))
    }
    guard context.header(.accept)?.contains("text/event-stream") == true else {
      let snapshot = try await site.photos.snapshot(draft: draft)
      return answer(
        .json(.ok, PhotoStatusResponse(snapshot.status, failure: snapshot.failure, in: words)))
    }
    let events = events(of: draft, in: words)
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "private, no-store",
      ],
      body: ResponseBody { writer in
        for await event in events.cancelOnGracefulShutdown() {
          try await writer.write(ByteBuffer(string: event))
        }
        try await writer.finish(nil)
      })
  }

  private func answer(_ response: Response) -> Response {
    var response = response
    response.headers[.cacheControl] = "private, no-store"
    return response
  }

  /// The statuses as events (WHATWG HTML, 9.2), and comments in silence.
  private func events(of draft: String, in words: Words) -> AsyncStream<String> {
    let photos = site.photos
    return AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
      let statuses = Task {
        var last: PhotoStatusResponse?
        for await status in photos.statuses(draft: draft) {
          let failure = try? await photos.failure(draft: draft)
          let answer = PhotoStatusResponse(status, failure: failure, in: words)
          guard answer != last else { continue }
          last = answer
          let data = (try? JSONEncoder().encode(answer)) ?? Data()
          continuation.yield("event: status\ndata: \(String(decoding: data, as: UTF8.self))\n\n")
        }
        continuation.finish()
      }
      let beats = Task {
        let end = ContinuousClock.now + Self.maxDuration
        while ContinuousClock.now < end {
          try await Task.sleep(for: Self.heartbeat)
          continuation.yield(": \n\n")
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in
        statuses.cancel()
        beats.cancel()
      }
    }
  }
}
