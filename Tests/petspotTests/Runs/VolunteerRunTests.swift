import Foundation
import GRDB
import Testing

@testable import petspot

/// Tests of a library that was put together from copies: backups, a phone, Takeout, WhatsApp.
@Suite final class VolunteerRunTests {
  let program: Program
  var photos: URL { program.work.appending(path: "photos") }

  init() throws { program = try Program() }

  private func add(_ name: String, _ image: String? = nil, text: String = "") throws {
    let file = photos.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    if let image {
      try FileManager.default.copyItem(at: URL(filePath: Program.image(image)), to: file)
    } else {
      try Data(text.utf8).write(to: file)
    }
  }

  private func rows(_ arguments: String...) throws -> [[String: Any]] {
    try program.run(["list", "--json"] + arguments).out.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test func aPhotoIsFoundShownAndExportedInEveryFolder() throws {
    try add("Kopia zapasowa/Rex 26.jpg", "gps-exif.jpg")
    try add("Psy/Kojec 5/IMG_5.jpg", "gps-exif.jpg")
    try add("Psy/Kojec 5/luna.jpg", "baseline-420.jpg")
    #expect(try program.run("import", photos.path).exitCode == 0)
    let kennel = try rows("--folder", "*Kojec 5", "--sort", "name")
    #expect(kennel.compactMap { $0["name"] as? String } == ["IMG_5.jpg", "luna.jpg"])
    #expect(kennel.first?["folder"] as? String == "Psy/Kojec 5")
    #expect((kennel.first?["places"] as? [Any])?.count == 2)
    #expect(try program.run("list", "kojec").out.contains("  Psy/Kojec 5/IMG_5.jpg\n"))
    #expect(try program.run("list", "26").out.contains("  Kopia zapasowa/Rex 26.jpg\n"))
    #expect(try rows().count == 2, "once in the list of all")
    let id = try #require(kennel.first?["id"] as? String)
    #expect(try program.run("show", id).out.contains("also Psy/Kojec 5/IMG_5.jpg"))
    let target = program.work.appending(path: "out")
    func export() throws -> String {
      try program.run("export", "--all", "--by", "folder", "--to", target.path).out
    }
    #expect(try export().hasSuffix("3 copied, 0 there already, 0 failed.\n"))
    #expect(try export() == "0 copied, 3 there already, 0 failed.\n")
    let files = try FileManager.default.subpathsOfDirectory(atPath: target.path)
    #expect(
      Set(files).isSuperset(of: [
        "Kopia zapasowa/Rex 26.jpg", "Psy/Kojec 5/IMG_5.jpg", "Psy/Kojec 5/luna.jpg",
      ]), "\(files)")
  }

  @Test func datesComeFromMetadataSidecarsAndNames() throws {
    try add("a/rex.jpg", "gps-exif.jpg")
    try add("t/luna.jpg", "baseline-420.jpg")
    try add("t/luna.jpg.json", text: #"{"photoTakenTime":{"timestamp":"1715000000"}}"#)
    try add("w/IMG-20240315-WA0001.jpg", "baseline-444.jpg")
    try add("w/IMG_20990101_101010.png", "gray-1-bit.png")
    #expect(try program.run("import", photos.path).exitCode == 0)
    let found = try rows("--sort", "taken")
    #expect(found.map { $0["takenFrom"] as? String } == ["exif", "sidecar", "name", nil])
    #expect(
      found.map { ($0["taken"] as? String)?.prefix(10) } == [
        "2026-11-20", "2024-05-06", "2024-03-15", nil,
      ])
    #expect(try rows("--taken", "2024-05").count == 1)
    let target = program.work.appending(path: "out")
    _ = try program.run("export", "--all", "--by", "taken", "--to", target.path)
    for name in ["2024/05/luna.jpg", "2024/03/IMG-20240315-WA0001.jpg", "undated"] {
      #expect(FileManager.default.fileExists(atPath: target.path + "/" + name), "\(name)")
    }
    let day = try FileManager.default.attributesOfItem(atPath: target.path + "/2024/05/luna.jpg")
    #expect((day[.modificationDate] as? Date)?.formatted(.iso8601) == "2024-05-06T12:53:20Z")
    // A copy that is found later brings its date.
    try add("z/20240102_101112.png", "gray-1-bit.png")
    #expect(try program.run("import", photos.path).out.contains("1 duplicate"))
    #expect(try rows("--taken", "2024-01").count == 1)
  }

  /// File names from a Mac have their accents decomposed.
  @Test func decomposedNamesWorkAsTheyAreTyped() throws {
    let folder = "Kojec 6 – S\u{0301}niez\u{0307}ka"
    try add(folder + "/z\u{0307}o\u{0301}łw.jpg", "gps-exif.jpg")
    let typed = photos.path + "/Kojec 6 – Śnieżka"
    #expect(Array(typed.utf8) != Array((photos.path + "/" + folder).utf8))
    #expect(try program.run("inspect", typed + "/żółw.jpg").exitCode == 0)
    let told = try program.run("import", typed, "--include", "ŻÓŁW*")
    #expect(told.exitCode == 0 && told.out.contains("1 imported"), "\(told)")
    #expect(try program.run("import", photos.path).out.contains("1 unchanged"))
    let listed = try program.run("list").out
    #expect(Array(listed.utf8).contains(Array("żółw.jpg".utf8)), "\(listed)")
    #expect(try program.run("attach", typed + "/żółw.jpg").exitCode == 0)
  }

  @Test func keptOriginalsAreCountedByReason() throws {
    try add("a/one.png", "alpha-16-bit.png")
    try add("a/two.jpg", "adobe-rgb.jpg")
    let told = try program.run(
      "import", photos.path, "--delete-source", "--yes", "--quiet", "--json")
    let last = try #require(told.out.split(separator: "\n").last)
    #expect(last.contains(#""kept":{"losses":2}"#), "\(last)")
    let text = try program.run("import", photos.path, "--delete-source", "--yes")
    #expect(text.out.contains("Originals kept:\n       2  hold more than"), "\(text.out)")
  }

  @Test func groupsOfLookAlikesHoldPhotosThatAreAllAlike() throws {
    let images = ["gps-exif.jpg", "baseline-420.jpg", "baseline-444.jpg"]
    for (number, image) in images.enumerated() { try add("\(number).jpg", image) }
    let report = program.work.appending(path: "report.html")
    #expect(try program.run("import", photos.path, "--report", report.path).exitCode == 0)
    #expect(try String(contentsOf: report, encoding: .utf8).contains("<h3>Look-alikes ("))
    let database = try DatabaseQueue(path: program.cache.path + "/database/catalog.sqlite")
    try database.write { db in
      for (name, hash) in [("0.jpg", 0), ("1.jpg", 0b1111), ("2.jpg", 0b1111_0000)] {
        try db.execute(
          sql: """
            UPDATE library_photo SET perceptual_hash = ?
            WHERE photo = (SELECT id FROM photo WHERE fileName = ?)
            """, arguments: [hash, name])
      }
    }
    // Two photos that are both like the first one aren't like each other.
    let groups = try program.run("similar", "--all", "--distance", "4", "--json").out
    func holds(_ groups: String, _ number: Int) -> Bool {
      groups.contains("\"fileName\":\"\(number).jpg\"")
    }
    #expect(holds(groups, 0) && holds(groups, 1) && !holds(groups, 2), "\(groups)")
    #expect(holds(try program.run("similar", "--all", "--distance", "8", "--json").out, 2))
  }
}
