import Foundation
import Glibc
import HTTPTypes
import HummingbirdCore
import Metrics
import NIOCore
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow
import Synchronization

/// Responds with all metrics in Prometheus' format. Some of them are measured only on request.
final class ServerMetrics: Sendable {
  private let parts: ServerParts
  private let guards: RequestGuards
  private let metrics: PrometheusMetrics
  /// The number of decoder crashes that the counter already includes.
  private let countedDeaths = Atomic(0)
  /// The time of the last `updateFigures`, and whether it still runs.
  private let figures = Mutex<(read: ContinuousClock.Instant, isUnderWay: Bool)?>(nil)

  /// Initializes each metric to 0 for all values of its labels.
  init(
    _ parts: ServerParts, _ routes: [Route], _ metrics: PrometheusMetrics, version: String
  ) {
    self.parts = parts
    var own = parts.configuration
    own.host = own.metricsHost
    own.baseURL = nil
    guards = RequestGuards(own)
    self.metrics = metrics
    gauge("petspot_build_info", "version", version).record(1)
    for outcome in PhotoOutcome.allCases { outcome.counter.increment(by: 0) }
    for kind in ["photos", "sizes", "drafts", "uploads"] { storeBytes(kind).record(0) }
    for job in RegularJob.allCases { success(job).record(0) }
    mails.record(0)
    for route in routes {
      AccessLog.requests(route.method.rawValue, route.pattern, 200).increment(by: 0)
      _ = AccessLog.times(route.pattern)
    }
  }

  private func gauge(_ label: String, _ key: String? = nil, _ value: String = "") -> Gauge {
    Gauge(label: label, dimensions: key.map { [($0, value)] } ?? [], factory: metrics)
  }

  private func storeBytes(_ kind: String) -> Gauge { gauge("petspot_store_bytes", "kind", kind) }

  private var mails: Gauge { gauge("petspot_queue_waiting", "queue", "mail") }

  private func success(_ job: RegularJob) -> Gauge {
    gauge("petspot_last_success_timestamp_seconds", "job", job.rawValue)
  }

  /// Responds to `GET /metrics`, which has a separate address and port.
  @Sendable func respond(to request: Request) async -> Response {
    let id = RequestID.make()
    var response: Response
    do throws(ErrorResponse) {
      try guards.check(request)
      try RequestGuards.checkBody(request)
      guard request.uri.path == "/metrics" else { throw .notFound }
      guard request.method == .get else {
        throw ErrorResponse(
          .methodNotAllowed, "This address accepts only GET.",
          headers: [.allow: "GET"])
      }
      await update()
      response = Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.exposition())))
    } catch {
      response = error.response(requestID: id)
    }
    parts.security.apply(to: &response, id: id)
    return request.method == .head ? response.createHeadResponse() : response
  }

  /// Measures queues, memory, file descriptors and stores.
  private func update() async {
    let waiting = [
      ("photos", max(0, parts.gates.decoding.waitingCount - parts.sizes.waitingCount)),
      ("sizes", parts.sizes.waitingCount), ("searches", parts.gates.searches.waitingCount),
    ]
    for (queue, count) in waiting { gauge("petspot_queue_waiting", "queue", queue).record(count) }
    countDeaths()
    gauge("process_resident_memory_bytes").record(Self.residentBytes)
    gauge("process_open_fds").record(Self.openDescriptors)
    gauge("process_max_fds").record(DescriptorShares.limit)
    let limit = Duration.milliseconds(1500)
    async let pictures = parts.checks.problem(of: .pictures, within: limit)
    let database = await parts.checks.problem(of: .database, within: limit)
    gauge("petspot_database_up").record(database == nil ? 1 : 0)
    let hasPictures = await pictures == nil
    gauge("petspot_pictures_up").record(hasPictures ? 1 : 0)
    if hasPictures { await updateSpace(within: limit) }
    if database == nil { await updateFigures() }
  }

  /// Updates the figures of free space. Call this only while the pictures' store responds, because each call blocks a
  /// thread while the disk hangs.
  private func updateSpace(within limit: Duration) async {
    let space = await parts.limits.freeSpace.query(on: parts.stores.files, within: limit) {
      ($0.free ?? 0, $0.floor)
    }
    guard let (free, floor) = space else { return }
    gauge("petspot_free_bytes").record(free)
    gauge("petspot_keep_free_bytes").record(floor)
  }

  private func countDeaths() {
    let deaths = parts.stores.photos.decoding.pool?.deathCount ?? 0
    let new = deaths - countedDeaths.exchange(deaths, ordering: .relaxed)
    Counter(label: "petspot_decoder_crashes_total", factory: metrics).increment(by: new)
  }

  /// Updates figures that need slow queries, at most every ten seconds and one update at a time.
  private func updateFigures() async {
    let isDue = figures.withLock { figures in
      if let last = figures, last.isUnderWay || .now - last.read < .seconds(10) { return false }
      figures = (.now, true)
      return true
    }
    guard isDue else { return }
    defer { figures.withLock { $0 = (.now, false) } }
    guard
      let (known, drafts, waiting) = try? await parts.stores.photos.catalog.database.reading(
        .search,
        { t in
          (
            try StoreFigures.select(t), try RecordedDrafts.bytes(without: .null, t),
            try MailQueue.count(t)
          )
        })
    else { return }
    storeBytes("photos").record(max(0, known.photoBytes - drafts))
    storeBytes("sizes").record(known.sizeBytes)
    mails.record(waiting)
    storeBytes("drafts").record(drafts)
    let uploads = parts.uploads.rules
    if let bytes = try? await parts.stores.files.run({ try uploads.byteCount() }) {
      storeBytes("uploads").record(bytes)
    }
    for (job, moment) in known.successes { success(job).record(moment.timeIntervalSince1970) }
  }

  private static var residentBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(getpagesize())
  }

  private static var openDescriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}
