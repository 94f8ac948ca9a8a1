import Announcements
import Foundation
import Glibc
import HTTPTypes
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import Synchronization
import TestPictures
import TestPostgres
import TestStores
import Testing

@testable import PetSpotServer

@Suite("Monitoring of a server")
struct WatchingTests {
  @Test("Each metric exists from the start, and counts photos, bytes and jobs")
  func metrics() async throws {
    let port = TestServer.freePort()
    let server = try ServedPetspot(["--metrics-port", "\(port)"])
    func read() async throws -> [String: Double] {
      // The metrics port may start to listen a moment after the main one.
      var answer = try? await server.send("GET", "/metrics", port: port)
      for _ in 0..<200 where answer == nil {
        try await Task.sleep(for: .milliseconds(50))
        answer = try? await server.send("GET", "/metrics", port: port)
      }
      let text = try #require(answer).body
      let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
      return Dictionary(
        lines.filter { !$0.hasPrefix("#") }.compactMap { line in
          let end = line.lastIndex(of: " ")
          return end.flatMap { end in
            Double(line[line.index(after: end)...]).map { (String(line[..<end]), $0) }
          }
        }
      ) { $1 }
    }
    let first = try await read()
    var zero: [String] = ["petspot_decoder_crashes_total"]
    for queue in ["photos", "sizes", "searches", "mail"] {
      zero.append("petspot_queue_waiting{queue=\"\(queue)\"}")
    }
    for outcome in ["confirmed", "refused", "failed"] {
      zero.append("petspot_photos_total{outcome=\"\(outcome)\"}")
    }
    for kind in ["photos", "sizes", "drafts", "uploads"] {
      zero.append("petspot_store_bytes{kind=\"\(kind)\"}")
    }
    for job in ["sweep", "verify", "backup", "prove"] {
      zero.append("petspot_last_success_timestamp_seconds{job=\"\(job)\"}")
    }
    for name in zero { #expect(first[name] == 0, "\(name)") }
    #expect(first["petspot_database_up"] == 1 && first["petspot_free_bytes"] ?? 0 > 0)
    #expect(first["petspot_pictures_up"] == 1)
    #expect(first["process_resident_memory_bytes"] ?? 0 > 1_000_000)
    #expect(first["process_open_fds"] ?? 0 > 3)
    #expect(first.keys.contains { $0.hasPrefix("petspot_build_info{version=\"") })

    let (id, owner) = try await server.announce()
    #expect(
      try await server.upload(ServedPetspot.photo("portrait-phone.heic"), to: id, owner).status
        == 201)
    #expect(try await server.upload(Data("no photo".utf8), to: id, owner).status == 415)
    let second = try await read()
    #expect(second["petspot_photos_total{outcome=\"confirmed\"}"] == 1)
    #expect(second["petspot_photos_total{outcome=\"refused\"}"] == 1)
  }

  @Test("Free space has two thresholds before the disk counts as full")
  func space() throws {
    let folder = TemporaryCache().folder
    try folder.make()
    let free = try #require(FreeSpace(folder: folder.path, kept: 0).free)
    func level(_ part: Double) -> StoreWatch.Space {
      FreeSpace(folder: folder.path, kept: Int(Double(free) * part)).level
    }
    #expect(level(0.3) == .low && level(0.6) == .veryLow && level(1.1) == .full)
  }

  @Test("The largest possible amount of space to keep free doesn't trap")
  func largestSpace() {
    let space = FreeSpace(folder: "/", kept: .max)
    #expect(space.level == .full && space.isLow(for: 1))
  }

  @Test("A server whose cache folder was replaced doesn't touch the new one, and ends")
  func replacedFolder() async throws {
    let server = try ServedPetspot()
    let moved = URL(filePath: server.cache.path + "-moved")
    defer { try? FileManager.default.removeItem(at: moved) }
    try FileManager.default.moveItem(at: server.cache, to: moved)
    let folder = CacheFolder(path: server.cache.path)
    try folder.make()
    // A hot journal, which SQLite would play back and delete.
    let journal = folder.catalog + "-journal"
    try Data(repeating: 1, count: 4096).write(to: URL(filePath: folder.catalog))
    try FileManager.default.copyItem(atPath: folder.catalog, toPath: journal)
    #expect(server.waitForEnd() == 74)
    #expect(try Data(contentsOf: URL(filePath: journal)) == Data(repeating: 1, count: 4096))
    #expect(
      try Data(contentsOf: URL(filePath: folder.catalog)) == Data(repeating: 1, count: 4096))
  }

  @Test("Metrics have the guards of the main port, and accept only GET")
  func metricsGuards() async throws {
    let port = TestServer.freePort()
    let server = try ServedPetspot(["--host", "0.0.0.0", "--metrics-port", "\(port)"])
    #expect(try await server.send("GET", "/api/health", ["Host": "a.example"]).status == 200)
    func status(_ method: String, _ path: String, host: String = "127.0.0.1") async throws -> Int {
      let answer = try await server.send(method, path, ["Host": host], port: port)
      #expect(answer.header("X-Content-Type-Options") == "nosniff")
      return answer.status
    }
    #expect(try await status("GET", "/metrics", host: "a.example") == 421)
    #expect(try await status("POST", "/metrics") == 405)
    #expect(try await status("GET", "/") == 404)
    #expect(try await status("GET", "/metrics") == 200)
  }

  @Test("Unreadable pictures have a metric of their own")
  func picturesDown() async throws {
    let port = TestServer.freePort()
    let server = try ServedPetspot(["--metrics-port", "\(port)"])
    try FileManager.default.removeItem(at: server.cache.appending(path: "previews"))
    #expect(try await server.send("GET", "/api/health").json["pictures"] as? String == "failed")
    let text = String(
      decoding: try await server.send("GET", "/metrics", port: port).body, as: UTF8.self)
    #expect(
      text.contains("\npetspot_database_up 1\n") && text.contains("\npetspot_pictures_up 0\n"))
  }

  @Test(
    "Refusals of one client beyond 100 per minute share one log line; those of others have their own"
  )
  func logShares() {
    let lines = Mutex<[String]>([])
    let logger = Logger(label: "test") { label in
      LineLogHandler(label: label, level: .info) { line in lines.withLock { $0.append(line) } }
    }
    let log = AccessLog(logger)
    func record(_ address: String, _ status: Int, _ count: Int) {
      for _ in 0..<count {
        log.record(
          .init(
            client: ClientNetwork(address) ?? .local, method: .get, route: "-", status: status,
            duration: .zero, sent: 0, isWhole: true), logger)
      }
    }
    record("192.0.2.1", 404, 150)
    record("192.0.2.1", 429, 20)
    record("192.0.2.1", 200, 150)
    record("192.0.2.2", 304, 100)
    #expect(lines.withLock { $0.count } == 350)
    log.summarize()
    log.summarize()
    let last = lines.withLock { $0.last } ?? ""
    #expect(lines.withLock { $0.count } == 351 && last.contains("\"requests not logged\""))
    #expect(last.contains("client=192.0.2.1 count=70 status-404=50 status-429=20"))
    record("192.0.2.1", 404, 1)
    #expect(lines.withLock { $0.count } == 352)
  }

  @Test("A problem that needs a person is logged once a minute, with what to do")
  func problems() {
    let lines = Mutex<[String]>([])
    let logger = Logger(label: "test") { label in
      LineLogHandler(label: label, level: .info) { line in lines.withLock { $0.append(line) } }
    }
    let log = ProblemLog()
    let full = StoreError.storageFull(operation: "write", path: "/cache", errno: ENOSPC)
    for _ in 0..<3 { #expect(log.record(full, logger)) }
    #expect(log.record(StoreError.fault(.blobDamaged), logger))
    #expect(!log.record(ErrorResponse.notFound, logger))
    let logged = lines.withLock { $0 }
    #expect(logged.count == 2)
    log.record(StoreError.photo(.fault(.decoderAnswer)), or: "photo not attached", logger)
    #expect(lines.withLock { $0.last }?.contains("photo not attached") == true)
    #expect(logged.allSatisfy { $0.contains("level=error") && $0.contains(" action=\"") })
  }
}
