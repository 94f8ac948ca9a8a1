import Foundation
import TestPictures
import Testing

@testable import petspot

/// Tests of `petspot inspect` with folders.
@Suite struct InspectRunTests {
  /// The kind of outcome that each test image of a folder must have, and the file's name.
  private func expected(_ image: TestImage) -> Set<String> {
    switch image.expect {
    case "accept":
      let losses = image.losses ?? []
      return [losses.contains("frames") ? "damaged" : losses.isEmpty ? "whole" : "lossy"]
    case "reject-corrupt": return ["damaged"]
    case "reject-limit": return ["failed"]
    case "reject-empty": return ["damaged"]
    // Content of no known kind under a photo's name may be a photo that has lost its beginning.
    default:
      let isUnknown = ["loader-", "leading-byte"].contains { image.file.hasPrefix($0) }
      return isUnknown ? ["skipped", "damaged"] : ["skipped"]
    }
  }

  private func lines(_ outcome: Program.Outcome) throws -> [[String: Any]] {
    try outcome.out.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func path(_ line: [String: Any]) -> String? {
    (line["path"] ?? (line["error"] as? [String: Any])?["path"]) as? String
  }

  @Test func everyTestImageHasTheVerdictOfItsDescription() throws {
    let program = try Program()
    let told = try program.run("inspect", TestImage.folder.path, "--json")
    #expect(told.exitCode == 65)
    var all = try lines(told)
    let totals = all.removeLast()
    let verdicts = Dictionary(
      all.compactMap { line in
        path(line).map { (URL(filePath: $0).lastPathComponent, line["verdict"] as? String ?? "") }
      }
    ) { first, _ in first }
    for image in TestImage.all {
      let verdict = try #require(verdicts[image.file], "\(image.file)")
      #expect(expected(image).contains(verdict), "\(image.file): \(verdict)")
    }
    #expect(totals["event"] as? String == "summary")
    #expect(totals["files"] as? Int == all.count)
    for verdict in ["whole", "lossy", "damaged", "failed", "skipped"] {
      #expect(totals[verdict] as? Int == verdicts.values.count { $0 == verdict }, "\(verdict)")
    }
    let paths = all.compactMap(path)
    #expect(
      paths.count == all.count
        && paths == paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  private func folder(_ program: borrowing Program) throws -> URL {
    let folder = program.work.appending(path: "photos")
    let images = [
      ("a/one.jpg", "gps-exif.jpg"), ("a/two.heic", "depth-map.heic"), ("b/cut.png", "cut-20.png"),
      ("b/note.jpg", "text.jpg"),
    ]
    for (name, image) in images {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      let source = URL(filePath: Program.image(image))
      if FileManager.default.fileExists(atPath: source.path) {
        try FileManager.default.copyItem(at: source, to: file)
      } else {
        try Data("a text".utf8).write(to: file)
      }
    }
    return folder
  }

  @Test func peopleReadOfWhatIsDamagedAndThenTotals() throws {
    let program = try Program()
    let folder = try folder(program)
    let told = try program.run("inspect", folder.path)
    #expect(told.exitCode == 65)
    #expect(
      told.out.contains("b/cut.png is damaged") && !told.out.contains("one.jpg"), "\(told.out)")
    #expect(told.out.contains("4 files: ") && told.out.contains("1 damaged"), "\(told.out)")
    #expect(told.err.isEmpty)
    let polish = try program.run("inspect", folder.path, "--lang", "pl")
    #expect(polish.out.contains("Pliki: 4; ") && polish.out.contains("uszkodzone: 1"))
    let all = try program.run("inspect", folder.path, "--all")
    #expect(all.out.contains("one.jpg") && all.out.contains("note.jpg"), "\(all.out)")
    let quiet = try program.run("inspect", folder.path, "--quiet")
    #expect(quiet.exitCode == 65 && quiet.out.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: program.cache.path), "stores nothing")
  }

  @Test func filesAreSelectedAsByImport() throws {
    let program = try Program()
    let folder = try folder(program)
    func files(_ arguments: String...) throws -> [String] {
      try lines(try program.run(["inspect", "--json"] + arguments)).compactMap(path).map {
        $0.replacing(folder.path + "/", with: "")
      }
    }
    #expect(try files(folder.path, "--include", "*.JPG") == ["a/one.jpg", "b/note.jpg"])
    #expect(try files(folder.path, "--exclude", "b", "--exclude", "*.heic") == ["a/one.jpg"])
    let list = program.work.appending(path: "list")
    try Data("\(folder.path)/a/one.jpg\r\n\(folder.path)/b\n".utf8).write(to: list)
    #expect(try files("--files-from", list.path) == ["a/one.jpg", "b/cut.png", "b/note.jpg"])
    let whole = try program.run("inspect", folder.path + "/a", "--include", "*.jpg", "--json")
    #expect(whole.exitCode == 0, "\(whole.out)")
  }

  @Test func whatCannotBeReadIsCountedAndMissingNamesAreErrors() throws {
    let program = try Program()
    let folder = try folder(program)
    let some = try program.run("inspect", folder.path + "/a", "/nowhere.jpg", "--json")
    #expect(some.exitCode == 66)
    let totals = try #require(try lines(some).last)
    #expect(totals["failed"] as? Int == 1 && totals["files"] as? Int == 3)
    #expect(try program.run("inspect").exitCode == 64)
    #expect(try program.run("inspect", "s3://bucket").exitCode == 64)
    let list = try program.run("inspect", "--files-from", "/nowhere")
    #expect(list.exitCode == 66 && list.err.contains("/nowhere"))
  }
}
