import HTTPTypes
import Hummingbird
import NIOCore

/// Answers `GET /metrics` on a port of its own, which strangers do not reach.
struct MetricsDoor: HTTPResponder {
  let metrics: PrometheusMetrics

  func respond(to request: Request, context: Visit) async throws -> Response {
    guard request.method == .get, request.uri.path == "/metrics" else {
      return Response(status: .notFound)
    }
    return Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text())))
  }
}
