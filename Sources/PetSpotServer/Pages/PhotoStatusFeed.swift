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
      return answer(.json(.ok, try await response(of: draft, in: words)))
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

  /// Where the photo stands; one whose bytes are arriving is loading.
  private func response(of draft: String, in words: Words) async throws -> PhotoStatusResponse {
    let snapshot = try await site.photos.snapshot(draft: draft)
    let isArriving = site.receiving.contains(
      PhotoPage.uploadOwner(of: draft), besides: snapshot.status)
    return PhotoStatusResponse(
      isArriving ? .loading : snapshot.status, failure: snapshot.failure, in: words)
  }

  private func answer(_ response: Response) -> Response {
    var response = response
    response.headers[.cacheControl] = "private, no-store"
    return response
  }

  /// The statuses as events (WHATWG HTML, 9.2), and comments in silence.
  private func events(of draft: String, in words: Words) -> AsyncStream<String> {
    AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
      let (looks, look) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let changes = Task {
        for await _ in site.photos.statuses(draft: draft) { look.yield() }
        look.finish()
      }
      let arrivals = Task {
        let owner = PhotoPage.uploadOwner(of: draft)
        var wasArriving = false
        while true {
          try await Task.sleep(for: .seconds(1))
          let isArriving = site.receiving.contains(owner, besides: .empty)
          if isArriving != wasArriving { look.yield() }
          wasArriving = isArriving
        }
      }
      let statuses = Task {
        var last: PhotoStatusResponse?
        for await _ in looks {
          guard let answer = try? await response(of: draft, in: words), answer != last else {
            continue
          }
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
        for task in [changes, statuses] { task.cancel() }
        arrivals.cancel()
        beats.cancel()
      }
    }
  }
}
