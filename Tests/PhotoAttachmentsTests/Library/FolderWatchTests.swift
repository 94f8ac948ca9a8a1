import Foundation
import Glibc
import SystemPackage
import Testing

@testable import PhotoAttachments

/// Watching folders reports each file once and complete, even after more events than the kernel's queue holds.
@Suite struct FolderWatchTests {
  private let folder: ImportFolder
  private let watch: FolderWatch

  init() throws {
    folder = try ImportFolder()
    try folder.add(Data("there".utf8), as: "there/before.jpg")
    watch = try FolderWatch([FilePath(folder.photos.path)], options: ImportOptions())
  }

  /// Returns the names of the next settled files, as a walk over them returns them.
  private func settled() throws -> [String] {
    let keys = try watch.waitForSettled { false }
    let walk = try FolderWalk(
      [FilePath(folder.photos.path)], options: ImportOptions(),
      cache: CacheFolder(path: folder.base.path + "/cache"), only: keys)
    var names: [String] = []
    while let entry = walk.next() {
      guard case .file(let file, _) = entry, watch.claim(file) else { continue }
      names.append(file.path.lastComponent?.string ?? "")
    }
    return names
  }

  @Test func onlyWhatIsAddedIsGivenOutOnce() throws {
    try folder.add(Data("new".utf8), as: "a/b/new.jpg")
    #expect(try settled() == ["new.jpg"])
    // The file's last events come late. Another file is reported, but this one isn't reported again.
    let next = try folder.add(Data("next".utf8), as: "there/next.jpg")
    #expect(try settled() == ["next.jpg"])
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: next.path)
    #expect(try settled() == ["next.jpg"])
  }

  @Test func aFileThatIsBeingWrittenWaits() throws {
    let name = folder.photos.path + "/growing.jpg"
    let growing = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(growing) }
    #expect(write(growing, "begun", 5) == 5)
    var times = [timespec](repeating: timespec(tv_sec: 1_000_000, tv_nsec: 0), count: 2)
    #expect(futimens(growing, &times) == 0)
    try folder.add(Data("whole".utf8), as: "whole.jpg")
    // The complete file settles in this time. The other one has been quiet just as long.
    #expect(try settled() == ["whole.jpg"])
  }

  @Test func whatIsGoneOrHiddenIsNotGivenOut() throws {
    try folder.add(Data("gone".utf8), as: "gone.jpg")
    try folder.add(Data("hidden".utf8), as: ".hidden.jpg")
    try folder.add(Data("small".utf8), as: "@__thumb/small.jpg")
    try folder.add(Data("small".utf8), as: "A.photoslibrary/resources/small.jpg")
    try FileManager.default.removeItem(at: folder.photos.appending(path: "gone.jpg"))
    try folder.add(Data("moved".utf8), as: "../outside/in.jpg")
    try FileManager.default.moveItem(
      at: folder.base.appending(path: "outside"), to: folder.photos.appending(path: "moved"))
    #expect(try settled() == ["in.jpg"])
  }

  @Test("No file is lost if there are more events than the kernel's queue holds")
  func fullQueue() throws {
    let most =
      try Int(
        String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
          .trimmingCharacters(in: .whitespacesAndNewlines)) ?? 16_384
    var times = [timespec](repeating: timespec(tv_sec: 1_000_000, tv_nsec: 0), count: 2)
    for number in 0..<most / 2 {
      let file = open("\(folder.photos.path)/\(number).jpg", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      #expect(file >= 0 && futimens(file, &times) == 0)
      close(file)
    }
    var names: Set<String> = []
    while names.count < most / 2 {
      for name in try settled() { #expect(names.insert(name).inserted) }
    }
    // The new listing also finds the file from before, because no walk has returned it yet.
    #expect(names.subtracting(["before.jpg"]).count >= most / 2 - 1)
  }
}
