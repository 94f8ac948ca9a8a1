import Foundation
import Logging
import PhotoAttachments
import PhotoIngestion
import SystemPackage
import TestPictures
import TestPostgres
import TestStores
import Testing

@testable import PhotoStorePostgres

/// Tests of whole runs, from the list to the totals, with real photos.
@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct PartWorkerTests {
  private let cache = TemporaryCache()
  private let database: TestDatabase
  private let folder: String

  init() throws {
    database = try TestDatabase()
    folder = cache.folder.path + "-photos"
    try FileManager.default.createDirectory(
      atPath: folder + "/more", withIntermediateDirectories: true)
    let image = TestImage.folder.path
    for (name, copy) in [
      ("gps-exif.jpg", "a.jpg"), ("gps-exif.jpg", "more/copy of a.jpg"),
      ("one-pixel.gif", "b.gif"), ("foreign.tiff", "c.tiff"),
    ] {
      try FileManager.default.copyItem(
        atPath: image + "/" + name, toPath: folder + "/" + copy)
    }
    try Data("GIF89a and no more".utf8).write(to: URL(fileURLWithPath: folder + "/damaged.gif"))
    try Data().write(to: URL(fileURLWithPath: folder + "/.hidden"))
    for name in ["a.jpg", "more/copy of a.jpg", "b.gif", "c.tiff", "damaged.gif"] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: folder + "/" + name)
    }
  }

  private func importer(_ photos: PhotoAttachmentCache) -> PhotoImporter {
    PhotoImporter(
      cache: photos, pipeline: PhotoPipeline(policy: photos.policy, decoding: .inProcess))
  }

  private func worker(
    _ photos: PhotoAttachmentCache, _ runs: ImportRuns
  ) -> PartWorker {
    PartWorker(
      photos, pipeline: PhotoPipeline(policy: photos.policy, decoding: .inProcess), runs: runs,
      name: "test:1", lease: 30, objects: { _ in throw StoreError.missingPhoto })
  }

  private func runs(_ photos: PhotoAttachmentCache) -> ImportRuns { ImportRuns(photos.catalog) }

  /// Returns the outcome of a file, without details that differ between imports.
  private func word(_ file: ImportedFile) -> String {
    let what =
      switch file.outcome {
      case .imported(let photo): "imported \(photo.blob.sha256)"
      case .duplicate(_, let tier): "duplicate \(tier)"
      case .unchanged: "unchanged"
      case .skipped(let refusal): "skipped \(refusal)"
      case .failed(let refusal): "failed \(refusal)"
      }
    return "\(file.path) \(file.sizeBytes) \(what)"
  }

  @Test(
    "Workers report and count the same as an import on one machine, which then finds nothing new")
  func sameAsAlone() async throws {
    let (alone, other) = (TemporaryCache(), try TestDatabase())
    defer { withExtendedLifetime(other) {} }
    let path = FilePath(folder)
    let expected = Shared<[String]>([])
    let single = try await importer(try other.photos(alone)).importPhotos([path]) {
      [self] file in expected.change { $0.append(word(file)) }
    }
    let photos = try database.photos(cache)
    let runs = runs(photos)
    let run = try importer(photos).enlist([path], names: ["x"], in: runs) { false }
    let reports = Shared<[PartWorker.Report]>([])
    try await worker(photos, runs).work(once: true) { report, failure in
      #expect(failure == nil)
      reports.change { $0.append(report) }
    }
    #expect(reports.value.map(\.end) == [.done] && reports.value.map(\.run) == [run])
    let told = Shared<[String]>([])
    var totals = try await RunFollower(photos, runs).follow(
      run, onFacts: { #expect($0.inputs.files == 6) }
    ) { [self] file in
      told.change { $0.append(word(file)) }
    }
    #expect(told.value == expected.value && told.value.count == 6, "\(told.value)")
    totals.seconds = single.seconds
    totals.stages = single.stages
    #expect(totals == single)
    let later = try await importer(photos).importPhotos([path])
    #expect(later.unchanged == 3 && later.bytesRead == 0, "\(later)")
  }

  @Test("A run whose folder differs on this machine is left to other workers")
  func elsewhere() async throws {
    let photos = try database.photos(cache)
    let runs = runs(photos)
    let run = try importer(photos).enlist([FilePath(folder)], names: ["x"], in: runs) { false }
    #expect(rename(folder, folder + "-away") == 0)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try await worker(photos, runs).work(once: true) { _, _ in Issue.record("worked") }
    #expect(try runs.facts(of: run).first?.state == .working)
    // The folder is back, with one file deleted and another changed. The outcome reports their present state.
    #expect(rmdir(folder) == 0 && rename(folder + "-away", folder) == 0)
    #expect(unlink(folder + "/a.jpg") == 0)
    try Data("hello".utf8).write(to: URL(fileURLWithPath: folder + "/b.gif"))
    try await worker(photos, runs).work(once: true) { _, _ in }
    let totals = try await RunFollower(photos, runs).follow(
      run, onFacts: { _ in }, onFile: { _ in })
    #expect(totals.files == 6 && totals.imported == 1 && totals.failed == 2, "\(totals)")
  }

  @Test("A follower takes counted, unchanged originals once, and nothing before it is counted")
  func takesOriginals() async throws {
    let photos = try database.photos(cache)
    let (runs, path) = (runs(photos), FilePath(folder))
    var options = ImportOptions()
    options.deletesSources = true
    let importer = PhotoImporter(
      cache: photos, pipeline: PhotoPipeline(policy: photos.policy, decoding: .inProcess),
      options: options)
    let follower = try importer.follower(of: runs, [path], in: nil)
    let run = try importer.enlist([path], names: ["x"], in: runs) { false }
    let waiting = Task {
      try await follower.follow(run, onFacts: { _ in }) { _ in Issue.record("not counted") }
    }
    waiting.cancel()
    #expect(try await waiting.value.stopped == .interrupted)
    try await worker(photos, runs).work(once: true) { _, _ in }
    // The file has the same size and time as before.
    let gif = try FileManager.default.attributesOfItem(atPath: folder + "/b.gif")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/b.gif"))
    bytes[bytes.count - 1] ^= 1
    let handle = try #require(FileHandle(forWritingAtPath: folder + "/b.gif"))
    try handle.write(contentsOf: bytes)
    try handle.close()
    try FileManager.default.setAttributes(
      [.modificationDate: try #require(gif[.modificationDate])], ofItemAtPath: folder + "/b.gif")
    let kept = Shared<[String]>([])
    for deleted in [2, 0] {
      let totals = try await follower.follow(run, onFacts: { _ in }) { file in
        if file.sourceKept != nil { kept.change { $0.append(file.path.string) } }
      }
      #expect(totals.deletedSources == deleted && totals.keptSources == 1, "\(totals)")
      #expect(totals.files == 6 && totals.imported == 2)
    }
    #expect(kept.value == [folder + "/b.gif", folder + "/b.gif"])
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder)
    #expect(Set(left) == ["b.gif", "c.tiff", "damaged.gif", ".hidden", "more"])
  }

  @Test("A worker that is asked to stop gives its part back, and another one continues")
  func stopped() async throws {
    let photos = try database.photos(cache)
    let runs = runs(photos)
    let run = try importer(photos).enlist([FilePath(folder)], names: ["x"], in: runs) { false }
    let stopped = Task {
      try await worker(photos, runs).work(once: false) { _, _ in }
    }
    stopped.cancel()
    try await stopped.value
    #expect(try runs.facts(of: run).first?.workers == [])
    try await worker(photos, runs).work(once: true) { _, _ in }
    #expect(try runs.facts(of: run).first?.totals.files == 6)
  }
}
