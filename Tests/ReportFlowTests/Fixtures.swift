import Announcements
import Foundation
import GRDB
import Logging
import PhotoAttachments
import Synchronization
import SystemPackage
import Testing

@testable import ReportFlow
import PhotoIngestion

/// A cache folder of its own, deleted with the test; everything in it is real.
final class TestCache: Sendable {
  let url: URL
  let photos: PhotoAttachmentCache
  let database: ReportDatabase
  let log = LogRecorder()

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString)")
    photos = try PhotoAttachmentCache.open(CacheFolder(path: url.path))
    database = try ReportDatabase(photos)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var logger: Logger { Logger(label: "test") { [log] _ in log.handler } }
  var store: DraftStore { DraftStore(database, logger: logger) }

  func repository(now: @escaping @Sendable () -> Date = { Date() }) -> SQLiteAnnouncementRepository
  {
    SQLiteAnnouncementRepository(database, logger: logger, now: now, passwordCost: 10)
  }

  @MainActor func flow(_ draft: String = "default") throws -> ReportMissingPetFlowState {
    try ReportMissingPetFlowState(draft: draft, store: store, photos: photos, logger: logger)
  }

  /// What a new process would see.
  @MainActor func reopened(_ draft: String = "default") throws -> ReportMissingPetFlowState {
    let photos = try PhotoAttachmentCache.open(CacheFolder(path: url.path))
    let store = DraftStore(try ReportDatabase(photos), logger: logger)
    return try ReportMissingPetFlowState(
      draft: draft, store: store, photos: photos, logger: logger)
  }

  func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try database.catalog.write { try $0.execute(sql: sql, arguments: arguments) }
  }
}

extension TestCache {
  /// A stored photo for announcements to show, the same one with every call.
  func albumPhoto() async throws -> AnnouncementPhoto {
    if try photos.load(draft: "album") == nil {
      let source = testImage("one-pixel.gif")
      try await photos.save(draft: "album") { () throws(PhotoError) in
        try PhotoPipeline(decoders: nil).prepare(source)
      }
    }
    let photo = try #require(try photos.load(draft: "album"))
    return AnnouncementPhoto(
      id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.uti)
  }

  /// Makes an announcement with its photo, so that it is listed.
  @discardableResult
  func publish(
    _ report: NewAnnouncement, in repository: SQLiteAnnouncementRepository,
    password: String = "K7QM-2XWD-9RTA"
  ) async throws -> Announcement {
    let made = try await repository.create(
      report, idempotencyKey: UUID(), managementPassword: password)
    return try await repository.attachPhoto(
      try await albumPhoto(), to: made.announcement.id, managementPassword: password, client: nil)
  }
}

/// Keeps what was logged.
final class LogRecorder: Sendable {
  private let messages = Mutex<[String]>([])
  var all: [String] { messages.withLock { $0 } }
  var handler: any LogHandler { Handler(recorder: self) }

  private struct Handler: LogHandler {
    let recorder: LogRecorder
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
      recorder.messages.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}

/// A clock that stands until a test moves it.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Swift.Duration
    func advanced(by duration: Swift.Duration) -> Self { Self(offset: offset + duration) }
    func duration(to other: Self) -> Swift.Duration { other.offset - offset }
    static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Swift.Duration.zero
    var sleepers: [UUID: (until: Swift.Duration, wake: CheckedContinuation<Void, any Error>)] = [:]
  }
  private let state = Mutex(State())

  var now: Instant { Instant(offset: state.withLock { $0.now }) }
  let minimumResolution = Swift.Duration.zero
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = UUID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          if Task.isCancelled || deadline.offset <= state.now { return true }
          state.sleepers[id] = (deadline.offset, continuation)
          return false
        }
        if isOver {
          continuation.resume(with: Result { try Task.checkCancellation() })
        }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: id) }?.wake
        .resume(throwing: CancellationError())
    }
  }

  func advance(by duration: Swift.Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.wake)
    }
    for continuation in due { continuation.resume() }
  }

  /// Waits until this many tasks sleep on the clock.
  func sleepers(_ count: Int) async {
    while sleeperCount != count { await Task.yield() }
  }
}

/// A file of `TestImages`.
func testImage(_ name: String) -> PhotoSource {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  return .file(FilePath(root.appending(path: "TestImages/\(name)").path))
}

func day(_ text: String) -> CalendarDay { CalendarDay(text)! }
func instant(_ text: String) -> Date { ISO8601DateFormatter().date(from: text)! }
func point(_ latitude: Double, _ longitude: Double) -> Coordinate {
  Coordinate(latitude: latitude, longitude: longitude)!
}

let dog = SpeciesTaxonomy.bundled.option(id: "dog")!
let cat = SpeciesTaxonomy.bundled.option(id: "cat")!
let english = Words(.en)
let polish = Words(.pl)

extension FlowEnvironment {
  /// Noon in Warsaw on 20 November 2025, unless said otherwise.
  static func test(
    now: String = "2025-11-20T11:00:00Z", zone: String = "Europe/Warsaw",
    clock: any Clock<Duration> = ManualClock(),
    location: any LocationService = FixedLocationService(nil), cache: TestCache
  ) throws -> Self {
    let moment = instant(now)
    return Self(
      now: { moment }, timeZone: try #require(TimeZone(identifier: zone)), clock: clock,
      location: location, events: FlowEvents(logger: cache.logger))
  }
}

@MainActor extension ReportMissingPetFlowState {
  /// Fills in and finishes the steps before the summary.
  func complete(_ environment: FlowEnvironment, photo: String = "one-pixel.gif") async throws {
    handle(.continued(.chip, environment.facts()))
    let model = PhotoViewModel(
      flowState: self, environment: environment, intake: .pipeline(PhotoPipeline(decoders: nil)),
      words: english)
    await model.select(testImage(photo))
    #expect(model.failure == nil)
    #expect(await model.continueTapped() == .moved(to: .description))
    for edit: DescriptionEdit in [
      .species(dog), .race("Labrador"), .gender(.male), .petName("Max"), .age("5"),
      .captured(
        point(52.2297, 21.0122),
        LocationContext(now: environment.now(), authorization: .authorizedWhenInUse)),
    ] { handle(.edited(.description(edit))) }
    #expect(handle(.continued(.description, environment.facts())) == .moved(to: .contact))
    handle(.edited(.name("John Doe")))
    handle(.edited(.phone("+48 123 456 789")))
    #expect(handle(.continued(.contact, environment.facts())) == .moved(to: .summary))
  }
}
