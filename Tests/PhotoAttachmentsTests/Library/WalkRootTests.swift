import Foundation
import SystemPackage
import Testing

@testable import PhotoAttachments

@Suite struct WalkRootTests {
  let folder: ImportFolder

  init() throws { folder = try ImportFolder() }

  @Test("As many paths as a shell passes are compared quickly")
  func manyPaths() throws {
    let files = try (0..<1000).map { try folder.add(Data([1]), as: "\($0).jpg") }
    let paths = files.map { FilePath($0.path) }
    let start = ContinuousClock.now
    let roots = WalkRoots(paths + paths)
    #expect(roots.list.map(\.given) == paths.map(\.rawBytes))
    // The limit is generous for a busy machine; a comparison of all pairs takes many times as long.
    #expect(ContinuousClock.now - start < .seconds(30))
    #expect(roots.covers(paths[7].rawBytes))
    #expect(!roots.covers(Array(folder.photos.path.utf8)))
  }

  @Test func foldersCoverWhatIsBelowThem() throws {
    try folder.add(Data([1]), as: "a/1.jpg")
    try folder.add(Data([1]), as: "ab.jpg")
    let inner = FilePath(folder.photos.path + "/a")
    let roots = WalkRoots([inner, FilePath(folder.photos.path + "/a/1.jpg")])
    #expect(roots.list.count == 1)
    #expect(roots.covers(inner.appending("1.jpg").rawBytes) && roots.covers(inner.rawBytes))
    #expect(!roots.covers(Array((folder.photos.path + "/ab.jpg").utf8)))
    #expect(WalkRoots([FilePath("/"), inner]).list.count == 1)
  }
}
