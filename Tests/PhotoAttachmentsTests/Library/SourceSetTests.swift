import Foundation
import Glibc
import SystemPackage
import Testing
import TestStores

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite

/// Moving a photo and the files beside it moves all of them or none.
@Suite struct SourceSetTests {
  private let folder: ImportFolder
  /// A folder on another file system.
  private let elsewhere = URL(filePath: "/dev/shm/petspot-\(UUID().uuidString)")

  init() throws { folder = try ImportFolder() }

  private func names(in folder: URL) throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private var filmPath: String { folder.photos.path + "/IMG_1.MOV" }

  /// Imports the folder, and moves its originals.
  private func move(to target: URL) async throws -> [ImportedFile] {
    try await folder.run(try folder.openCache()) {
      ($0.moveSource, $0.deletesLossySources) = (FilePath(target.path), true)
    }.files
  }

  /// Hides files of a set, as a killed run leaves them.
  private func hide(_ names: [String]) throws {
    let number = UInt64.random(in: .min ... .max)
    for name in names {
      let hidden = try #require(SourceRemoval.hiddenName(for: Array(name.utf8), number))
      let text = String(decoding: hidden, as: UTF8.self)
      #expect(rename(folder.photos.path + "/" + name, folder.photos.path + "/" + text) == 0)
    }
  }

  enum Odd: CaseIterable { case fifo, link, directory, socket, device }

  private func make(_ kind: Odd) throws {
    switch kind {
    case .fifo: #expect(mkfifo(filmPath, 0o600) == 0)
    case .link: #expect(symlink("/dev/zero", filmPath) == 0)
    case .directory: #expect(mkdir(filmPath, 0o700) == 0)
    case .socket: #expect(mknod(filmPath, S_IFSOCK | 0o600, 0) == 0)
    // /dev/zero, which only root may create.
    case .device: if geteuid() == 0 { #expect(mknod(filmPath, S_IFCHR | 0o600, 0x105) == 0) }
    }
  }

  @Test(
    "A set stays if the film's name belongs to anything but a regular file",
    arguments: Odd.allCases)
  func oddFiles(_ kind: Odd) async throws {
    try folder.add("portrait-phone.heic", as: "IMG_1.HEIC")
    try make(kind)
    let before = try names(in: folder.photos)
    guard before.count == 2 else { return }
    for target in [folder.base.appending(path: "moved"), elsewhere] {
      let files = try await move(to: target)
      #expect(files.first?.sourceKept == .changed, "\(files)")
      #expect(try names(in: folder.photos) == before)
      #expect(try names(in: target).isEmpty)
    }
    try? FileManager.default.removeItem(at: elsewhere)
  }

  @Test("A set stays while its film is being written", arguments: [false, true])
  func growing(isFar: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: elsewhere) }
    try folder.add("portrait-phone.heic", as: "IMG_1.HEIC")
    try folder.add(Data("begun".utf8), as: "IMG_1.MOV")
    let writer = open(filmPath, O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(writer) }
    let target = isFar ? elsewhere : folder.base.appending(path: "moved")
    let files = try await move(to: target)
    #expect(files.first?.sourceKept == .changed, "\(files)")
    #expect(write(writer, " and done", 9) == 9)
    #expect(try Data(contentsOf: URL(filePath: filmPath)) == Data("begun and done".utf8))
    #expect(try names(in: folder.photos) == ["IMG_1.HEIC", "IMG_1.MOV"])
    #expect(try names(in: target).isEmpty)
  }

  @Test("A set stays if its film grew after it was opened, even if it is closed by now")
  func grownMeanwhile() throws {
    let photo = try folder.add("gps-exif.jpg", as: "IMG_1.jpg")
    try folder.add(Data("begun".utf8), as: "IMG_1.MOV")
    var status = stat()
    #expect(stat(photo.path, &status) == 0)
    let found = FoundFile(
      path: FilePath(photo.path), key: WalkRoot(FilePath(photo.path)).real,
      identity: FileIdentity(status), throughLink: false)
    let outcome = SourceRemoval.remove(
      found, with: [Array("IMG_1.MOV".utf8)],
      sha256: sha256(of: Array(try Data(contentsOf: photo)))
    ) { _ in
      let writer = open(filmPath, O_WRONLY | O_APPEND | O_CLOEXEC)
      #expect(write(writer, "more", 4) == 4)
      close(writer)
      return false
    }
    #expect(outcome == .kept(.changed))
    #expect(try names(in: folder.photos) == ["IMG_1.MOV", "IMG_1.jpg"])
  }

  @Test("A set is moved completely to another file system, with one number, and links to it stay")
  func movedFar() async throws {
    defer { try? FileManager.default.removeItem(at: elsewhere) }
    try folder.add("portrait-phone.heic", as: "IMG_1.HEIC")
    let film = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try folder.add(film, as: "IMG_1.MOV")
    let linked = folder.base.appending(path: "linked.mov")
    #expect(link(filmPath, linked.path) == 0)
    try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
    try Data("other".utf8).write(to: elsewhere.appending(path: "IMG_1.MOV"))
    let files = try await move(to: elsewhere)
    #expect(files.first?.sourceMovedTo == FilePath(elsewhere.path + "/IMG_1-2.HEIC"), "\(files)")
    #expect(try names(in: elsewhere) == ["IMG_1-2.HEIC", "IMG_1-2.MOV", "IMG_1.MOV"])
    #expect(try Data(contentsOf: elsewhere.appending(path: "IMG_1-2.MOV")) == film)
    #expect(try Data(contentsOf: elsewhere.appending(path: "IMG_1.MOV")) == Data("other".utf8))
    #expect(try Data(contentsOf: linked) == film)
    #expect(try names(in: folder.photos).isEmpty)
  }

  @Test("A set stays if the target has no room for all of it, and no part is left there")
  func fullTarget() async throws {
    guard let small = SmallDisk(options: "size=256k") else { return }
    try folder.add("portrait-phone.heic", as: "IMG_1.HEIC")
    try folder.add(Data(count: 300_000), as: "IMG_1.MOV")
    let files = try await move(to: URL(filePath: small.path))
    #expect(files.first?.sourceKept == .failed(errno: ENOSPC), "\(files)")
    #expect(try names(in: folder.photos) == ["IMG_1.HEIC", "IMG_1.MOV"])
    #expect(try names(in: URL(filePath: small.path)).isEmpty)
  }

  @Test("A set that a killed run hid gets its names back after the next import")
  func restored() async throws {
    try folder.add("portrait-phone.heic", as: "IMG_1.HEIC")
    try folder.add(Data("film".utf8), as: "IMG_1.MOV")
    try hide(["IMG_1.MOV", "IMG_1.HEIC"])
    let cache = try folder.openCache()
    let dry = try await folder.run(cache) { $0.dryRun = true }
    #expect(dry.files.allSatisfy { $0.name.hasPrefix(".petspot-delete-") })
    let (_, files) = try await folder.run(cache)
    #expect(files.map(\.name) == ["IMG_1.HEIC", "IMG_1.MOV"])
    #expect(files.map(\.word) == ["imported", "skipped-sidecar"])
    #expect(try names(in: folder.photos) == ["IMG_1.HEIC", "IMG_1.MOV"])
  }

  @Test("A hidden set stays together if another file has one of its names")
  func restoredBesideOthers() async throws {
    try folder.add("portrait-phone.heic", as: "IMG_1.HEIC")
    try folder.add(Data("film".utf8), as: "IMG_1.MOV")
    try hide(["IMG_1.MOV", "IMG_1.HEIC"])
    try folder.add("gps-exif.jpg", as: "IMG_1.HEIC")
    _ = try await folder.run(try folder.openCache())
    #expect(try names(in: folder.photos) == ["IMG_1-2.HEIC", "IMG_1-2.MOV", "IMG_1.HEIC"])
  }

  @Test("Sets that another process is moving keep their hidden names")
  func othersAtWork() async throws {
    try folder.add("portrait-phone.heic", as: "IMG_1.HEIC")
    let other = open(folder.photos.path + "/IMG_1.HEIC", O_RDONLY | O_CLOEXEC)
    defer { close(other) }
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    try hide(["IMG_1.HEIC"])
    let before = try names(in: folder.photos)
    _ = try await folder.run(try folder.openCache())
    #expect(try names(in: folder.photos) == before)
  }

  @Test("A folder that can't be read doesn't count as one without sidecars")
  func unreadableFolder() throws {
    var file = FoundFile(
      path: "a.jpg", key: Array((folder.photos.path + "/none/a.jpg").utf8),
      identity: FileIdentity(device: 0, inode: 0, size: 0, modified: 0), throughLink: false)
    #expect(throws: SourceKeptReason.failed(errno: ENOENT)) {
      try Sidecars(keepsAll: true).sidecars(of: file)
    }
    file.key = Array((folder.photos.path + "/a.jpg").utf8)
    #expect(try Sidecars(keepsAll: true).sidecars(of: file).isEmpty)
  }

  @Test("A sidecar that is added after its folder was read is found")
  func laterSidecar() throws {
    let file = FoundFile(
      path: "a.jpg", key: Array((folder.photos.path + "/a.jpg").utf8),
      identity: FileIdentity(device: 0, inode: 0, size: 0, modified: 0), throughLink: false)
    try folder.add("gps-exif.jpg", as: "a.jpg")
    let sidecars = Sidecars(keepsAll: true)
    #expect(try sidecars.sidecars(of: file).isEmpty)
    // File systems measure time in ticks.
    usleep(20_000)
    try folder.add(Data("film".utf8), as: "a.mov")
    #expect(try sidecars.sidecars(of: file) == [Array("a.mov".utf8)])
  }

  @Test("A file with a date in the future isn't delayed")
  func futureDate() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    func isFresh(seconds: Int64) -> Bool {
      let modified = (Int64(now.tv_sec) + seconds) * 1_000_000_000
      return FileIdentity(device: 0, inode: 0, size: 0, modified: modified).isFresh
    }
    #expect(isFresh(seconds: 0) && !isFresh(seconds: 3600) && !isFresh(seconds: -3600))
  }
}
