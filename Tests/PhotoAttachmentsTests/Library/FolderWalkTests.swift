import Foundation
import Glibc
import SystemPackage
import Testing

@testable import PhotoAttachments
@testable import PhotoStoreSQLite

@Suite struct FolderWalkTests {
  let folder: ImportFolder

  init() throws { folder = try ImportFolder() }

  /// Returns every entry as `path code`, relative to the folder.
  private func walk(
    _ paths: [URL]? = nil, _ change: (inout ImportOptions) -> Void = { _ in }
  ) -> [String] {
    var options = ImportOptions()
    change(&options)
    var found: [String] = []
    let roots = (paths ?? [folder.photos]).map { FilePath($0.path) }
    let cache = CacheFolder(path: folder.base.path + "/none")
    guard let walk = try? FolderWalk(roots, options: options, cache: cache) else {
      Issue.record("no walk")
      return found
    }
    while let entry = walk.next() {
      let (path, code) =
        switch entry {
        case .file(let file, _): (file.path, "file")
        case .refused(let path, let refusal):
          (path, refusal.code + (refusal.detected.map { ":" + $0 } ?? ""))
        }
      let text = String(decoding: path.rawBytes, as: UTF8.self)
      found.append(text.replacing(folder.photos.path + "/", with: "") + " " + code)
    }
    return found
  }

  @Test func goesInTheOrderOfBytesDepthFirst() throws {
    for name in ["b.jpg", "a/2.jpg", "a/1.jpg", "B.jpg", "a.jpg", "é.jpg"] {
      try folder.add(Data([1]), as: name)
    }
    #expect(
      walk() == [
        "B.jpg file", "a/1.jpg file", "a/2.jpg file", "a.jpg file", "b.jpg file", "é.jpg file",
      ])
  }

  @Test func knowsWhatSystemsLeaveBesidePhotos() throws {
    for name in ["._x.jpg", ".DS_Store", ".hidden/a.jpg", "@eaDir/a.jpg", "Thumbs.db", ".b.jpg"] {
      try folder.add(Data([1]), as: name)
    }
    #expect(
      walk() == [
        ".DS_Store system-file:ds-store", "._x.jpg system-file:apple-double", ".b.jpg hidden",
        ".hidden hidden", "@eaDir system-file:ea-dir", "Thumbs.db system-file:thumbs-db",
      ])
    #expect(
      walk { $0.includesHidden = true } == [
        ".DS_Store system-file:ds-store", "._x.jpg file", ".b.jpg file", ".hidden/a.jpg file",
        "@eaDir/a.jpg file", "Thumbs.db system-file:thumbs-db",
      ])
  }

  @Test func opensNeitherPipesNorSockets() throws {
    #expect(mkfifo(folder.photos.path + "/pipe.jpg", 0o600) == 0)
    #expect(walk() == ["pipe.jpg not-a-file:fifo"])
    #expect(walk([folder.photos.appending(path: "pipe.jpg")]) == ["pipe.jpg not-a-file:fifo"])
  }

  @Test func followsLinksOnlyWhenAskedAndNeverInCircles() throws {
    try folder.add(Data([1]), as: "a/1.jpg")
    let outside = folder.base.appending(path: "outside")
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    try Data([2]).write(to: outside.appending(path: "2.jpg"))
    func link(_ name: String, _ target: String) {
      #expect(symlink(target, folder.photos.path + "/" + name) == 0)
    }
    link("dangling", "nowhere")
    link("file", "a/1.jpg")
    link("loop", ".")
    link("out", outside.path)
    link("self", "self")
    #expect(walk().filter { $0.hasSuffix("not-a-file:symlink") }.count == 5)
    #expect(
      walk { $0.followsSymlinks = true } == [
        "a/1.jpg file", "dangling link-loop", "file file", "loop link-loop", "out outside",
        "self link-loop",
      ])
    let followed = walk([folder.photos, outside]) { $0.followsSymlinks = true }
    #expect(followed.contains("out/2.jpg file"))
  }

  @Test func patternsChooseByNameOrByPath() throws {
    for name in ["a.jpg", "b.png", "raw/c.jpg", "raw/d.png"] {
      try folder.add(Data([1]), as: name)
    }
    #expect(walk { $0.include = ["*.jpg"] } == ["a.jpg file", "raw/c.jpg file"])
    #expect(walk { $0.include = ["*.JPG", "RAW/d.*"] }.count == 3)
    #expect(walk { $0.exclude = ["raw"] } == ["a.jpg file", "b.png file"])
    #expect(walk { $0.exclude = ["raw/*.png"] }.count == 3)
  }

  /// Cameras write `.HEIC`, and people use any case.
  @Test func patternsIgnoreCase() throws {
    for name in ["a.HEIC", "ŻÓŁW.Jpg", "b.png"] { try folder.add(Data([1]), as: name) }
    #expect(walk { $0.include = ["*.heic", "żółw*"] } == ["a.HEIC file", "ŻÓŁW.Jpg file"])
  }

  /// Files in the recycle bins of a NAS or of Windows are imported only on request.
  @Test func recycleBinsAreLeftOut() throws {
    for name in ["#recycle", "@Recycle", "$RECYCLE.BIN"] {
      try folder.add(Data([1]), as: name + "/a.jpg")
    }
    #expect(walk().count == 3 && walk().allSatisfy { $0.contains(" system-file") }, "\(walk())")
    #expect(walk { $0.includesHidden = true }.allSatisfy { $0.hasSuffix("a.jpg file") })
  }

  /// These folders contain copies of other photos, or deleted photos.
  @Test(arguments: [
    "@__thumb", ".@__thumb", "#snapshot", "@Recently-Snapshot", "Network Trash Folder",
    "Catalog Previews.lrdata", ".thumbnails", "Photos Library.photoslibrary/resources",
    "Photos Library.photoslibrary/database",
  ])
  func thumbnailsAndSnapshotsAreLeftOut(name: String) throws {
    try folder.add(Data([1]), as: name + "/deep/a.jpg")
    let left = folder.photos.appending(path: name)
    #expect(walk().count == 1 && walk()[0].hasPrefix(name + " system-file:"), "\(walk())")
    #expect(walk { $0.includesHidden = true } == [name + "/deep/a.jpg file"])
    // The user named the folder.
    #expect(walk([left]) == [name + "/deep/a.jpg file"])
  }

  @Test func ofAPhotoLibraryTheOriginalsAreRead() throws {
    let library = "Photos Library.photoslibrary"
    for name in ["originals/1/a.heic", "Masters/b.jpg", "resources/c.jpg"] {
      try folder.add(Data([1]), as: library + "/" + name)
    }
    let found = [
      "\(library)/Masters/b.jpg file", "\(library)/originals/1/a.heic file",
      "\(library)/resources system-file:photos-library",
    ]
    #expect(walk() == found)
    #expect(walk([folder.photos.appending(path: library)]) == found)
  }

  @Test func comesBackFromFoldersFarDown() throws {
    var name = ""
    for _ in 0..<80 { name += "d/" }
    try folder.add(Data([1]), as: name + "deep.jpg")
    try folder.add(Data([1]), as: "d/d/d/z.jpg")
    try folder.add(Data([1]), as: "z.jpg")
    #expect(walk() == [name + "deep.jpg file", "d/d/d/z.jpg file", "z.jpg file"])
    #expect(try descriptors() == 0)
  }

  @Test func reachesPathsLongerThanTheSystemTakes() throws {
    // PATH_MAX is 4096, so such a tree can only be created and reached one folder at a time.
    let part = String(repeating: "d", count: 200)
    var here = open(folder.photos.path, O_RDONLY | O_DIRECTORY)
    for _ in 0..<25 {
      #expect(mkdirat(here, part, 0o700) == 0)
      let next = openat(here, part, O_RDONLY | O_DIRECTORY)
      close(here)
      here = next
    }
    let file = openat(here, "x.jpg", O_WRONLY | O_CREAT, 0o600)
    #expect(write(file, "x", 1) == 1)
    close(file)
    close(here)
    let found = walk()
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix("x.jpg file") == true)
    // Foundation can't delete such a tree.
    #expect(system("rm -rf '\(folder.photos.path)'") == 0)
  }

  @Test func namesAreAnyBytes() throws {
    let folderDescriptor = open(folder.photos.path, O_RDONLY | O_DIRECTORY)
    let name: [CChar] = [CChar(bitPattern: 0xFF), CChar(bitPattern: 0xFE), 46, 106, 0]
    let file = openat(folderDescriptor, name, O_WRONLY | O_CREAT, 0o600)
    #expect(file >= 0)
    close(file)
    close(folderDescriptor)
    var options = ImportOptions()
    options.includesHidden = true
    let walk = try FolderWalk(
      [FilePath(folder.photos.path)], options: options, cache: CacheFolder(path: "/none"))
    guard case .file(let found, let wayIn)? = walk.next() else {
      Issue.record("no file")
      return
    }
    #expect(found.path.rawBytes.suffix(4) == [0xFF, 0xFE, 46, 106])
    #expect(throws: Never.self) { try wayIn.open(found) }
  }

  @Test func aPathInsideAnotherIsWalkedOnce() throws {
    try folder.add(Data([1]), as: "a/1.jpg")
    let inner = folder.photos.appending(path: "a")
    #expect(walk([inner, folder.photos, folder.photos]) == ["a/1.jpg file"])
    #expect(walk([inner.appending(path: "1.jpg")]) == ["a/1.jpg file"])
    #expect(walk([inner.appending(path: "2.jpg")]) == ["a/2.jpg unreadable"])
  }

  /// Returns the number of open descriptors in this test's folder. Other tests run in this process, too.
  private func descriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
      return target?.hasPrefix(folder.photos.path) == true
    }
  }
}
