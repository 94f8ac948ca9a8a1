import Foundation
import Glibc
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import TestPostgres
import TestStores
import Testing

@testable import BlobStoreS3

/// Tests `petspot backup` and `restore`: the contents of the folder, and what they leave alone.
@Suite("Backups")
final class BackupTests {
  private let stores = MovedStores()
  private let folder = TemporaryCache().folder.path + "-backup"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var files: [String] {
    FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }.sorted() ?? []
  }

  private var snapshots: [String] { files.filter { $0.hasSuffix(".sqlite") } }

  private func contents() -> [String: Data?] {
    Dictionary(
      uniqueKeysWithValues: files.map { ($0, FileManager.default.contents(atPath: path($0))) })
  }

  private func path(_ file: String) -> String { folder + "/" + file }

  private func backUp(
    _ more: String...
  ) throws -> (exit: Int32, text: String, last: [String: Any]) {
    try stores.run(["backup", folder] + more)
  }

  /// Flips a bit in the middle of a file.
  private func flip(_ file: String) throws {
    var bytes = try #require(FileManager.default.contents(atPath: path(file)))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path(file)))
  }

  @Test("A restored backup lists the same photos and is complete, and a second run copies nothing")
  func roundTrip() throws {
    let announcement = try stores.fill()
    let before = try stores.told()
    let first = try backUp()
    #expect(first.exit == 0 && first.last["complete"] as? Bool == true, "\(first.text)")
    #expect(first.last["photos"] as? Int == 6 && first.last["pictures"] as? Int ?? 0 > 6)
    var status = stat()
    #expect(stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
    let second = try backUp()
    #expect(second.exit == 0 && second.last["pictures"] as? Int == 0, "\(second.text)")
    #expect(snapshots.count == 2)
    #expect(!files.contains { $0.hasPrefix("incoming/") })

    let restored = MovedStores()
    let answer = try restored.run(["restore", folder])
    #expect(answer.exit == 0 && answer.last["moved"] as? Int == 6, "\(answer.text)")
    #expect(answer.last["snapshot"] as? String == second.last["snapshot"] as? String)
    #expect(try restored.told() == before)
    #expect(try restored.run(["verify", "--all"]).exit == 0)
    // Searches find the announcement in the restored store, too.
    let catalog = try restored.cache.open().catalog
    #expect(try !catalog.database.rows("SELECT 1 FROM announcement_word").isEmpty)
    try catalog.close()
    let close = ["announcements", "close", announcement.id, "--password", announcement.password]
    #expect(try restored.run(close).exit == 0)
    #expect(try restored.run(["restore", folder]).exit == 73)
    #expect(try stores.run(["restore", folder]).exit == 73)
  }

  @Test("A missing folder, or a file in its place, is refused by name and not created")
  func noFolder() throws {
    _ = try stores.fill()
    try Data().write(to: URL(fileURLWithPath: path("file")))
    for name in ["absent", "file", "file/below"] {
      let answer = try stores.run(["backup", path(name)])
      #expect(answer.exit == 73 && answer.text.contains(path(name)), "\(answer.text)")
      #expect(try stores.run(["restore", path(name)]).exit == 66)
    }
    #expect(files == ["file"])
  }

  @Test(
    "A folder with other things in it is left as it is",
    arguments: [
      ["letter"], ["snapshots/2026-11-26T03-30-00.123Z/manifest.json", "lock"],
      ["config", "keys/a", "snapshots/0123", "index/b", "data/c", "locks/d"],
    ])
  func foreign(_ names: [String]) throws {
    for name in names {
      let url = URL(fileURLWithPath: path(name))
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: url)
    }
    let before = contents()
    #expect(try stores.run(["attach", "TestImages/alpha.png"]).exit == 0)
    #expect(try backUp().exit == 73)
    #expect(try stores.run(["restore", folder]).exit == 66)
    #expect(contents() == before)
  }

  @Test(
    "A link in place of a folder of the backup isn't followed", arguments: ["snapshots", "blobs"])
  func links(_ name: String) throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    let home = folder + "-home"
    defer { try? FileManager.default.removeItem(atPath: home) }
    try FileManager.default.moveItem(atPath: path(name), toPath: home)
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: home)
    let before = try FileManager.default.subpathsOfDirectory(atPath: home).sorted()
    #expect(try backUp("--keep", "0").exit == 73)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: home).sorted() == before)
  }

  @Test("A folder whose marker is damaged or from a newer version is left as it is")
  func marker() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    for (text, exit) in [("petspot-backup 2 later\n", 69), ("petspot-bac", 65), ("", 65)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path("petspot-backup")))
      let before = contents()
      #expect(try backUp("--keep", "0").exit == exit)
      #expect(try MovedStores().run(["restore", folder]).exit == exit)
      #expect(contents() == before)
    }
  }

  @Test(
    "A folder whose marker is lost can be used once the marker is written as the error suggests")
  func markerWrittenAgain() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    let marker = URL(fileURLWithPath: path("petspot-backup"))
    for text in ["", "petspot-b\0\0\0\0\0\0\0\0", "\0"] {
      try Data(text.utf8).write(to: marker)
      for answer in [try backUp(), try MovedStores().run(["restore", folder])] {
        #expect(answer.exit == 65 && answer.text.contains("the line petspot-backup 1 and run"))
        #expect(answer.text.contains(marker.path) && answer.text.contains("damaged-marker"))
      }
    }
    try Data("petspot-backup 1\n".utf8).write(to: marker)
    #expect(try MovedStores().run(["restore", folder]).exit == 0)
    #expect(try backUp("--prove").exit == 0)
  }

  @Test("The cache's own folder, a folder in it and a folder around it are refused")
  func inCache() throws {
    _ = try stores.fill()
    let cache = stores.cache.folder.path
    let inner = cache + "/backup"
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
    for path in [cache, inner, (cache as NSString).deletingLastPathComponent] {
      #expect(try stores.run(["backup", path]).exit == 73)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: inner).isEmpty)
    #expect(try backUp().exit == 0)
    try FileManager.default.removeItem(atPath: inner)
    try FileManager.default.copyItem(atPath: folder, toPath: inner)
    let answer = try stores.run(["restore", inner])
    #expect(answer.exit == 73 && answer.text.contains("in-cache"), "\(answer.text)")
  }

  @Test("A backup from another store, or one that lost its records, deletes no snapshot")
  func otherStore() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    let before = snapshots
    let other = MovedStores()
    _ = try other.fill()
    #expect(try other.run(["backup", folder, "--keep", "0"]).exit == 65)
    let catalog = try stores.cache.open().catalog
    _ = try catalog.database.write { t in
      for table in ["library_photo", "attachment", "announcement", "photo"] {
        try t.execute("DELETE FROM \(table)", isRepeated: false)
      }
    }
    try catalog.close()
    #expect(try backUp("--keep", "0").exit == 65)
    #expect(snapshots == before)
  }

  @Test(
    "An interrupted restore leaves a store that no command accepts, except the same restore"
  )
  func halfRestored() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    #expect(try stores.run(["attach", "TestImages/alpha.png", "--draft", "later"]).exit == 0)
    #expect(try backUp().exit == 0)
    let stamps = snapshots.map { String($0.dropFirst("snapshots/".count).prefix(24)) }
    let half = MovedStores()
    let catalog = try half.cache.open().catalog
    _ = try catalog.database.write { t in
      try t.execute(
        "INSERT INTO regular_job (name, succeeded_at) VALUES ($1, 0)",
        [.text("restore " + stamps[0])])
    }
    try catalog.close()
    let target = TemporaryCache().folder.path
    defer { try? FileManager.default.removeItem(atPath: target) }
    for command in [
      ["backup", folder], ["list"], ["verify"], ["export", "--all", "--to", target],
      ["move", "--to-cache", target], ["restore", folder, "--snapshot", stamps[1]],
    ] {
      let answer = try half.run(command)
      #expect(answer.exit == 75, "\(command) \(answer.text)")
    }
    #expect(snapshots.count == 2)
    let doctor = try half.run(["doctor"])
    #expect(doctor.exit == 69 && doctor.text.contains("\"code\":\"backup\""), "\(doctor.text)")
    let restored = try half.run(["restore", folder])
    #expect(restored.exit == 0 && restored.last["moved"] as? Int == 6, "\(restored.text)")
    #expect((restored.last["snapshot"] as? String)?.hasPrefix(stamps[0]) == true)
    #expect(try half.run(["list"]).exit == 0)
  }

  @Test("While a picture is missing in the store, no snapshot is deleted")
  func keptWhileNotWhole() throws {
    _ = try stores.fill()
    for _ in 0..<4 { #expect(try backUp().exit == 0) }
    let before = Set(stores.cache.files)
    let later = ["attach", "TestImages/portrait-phone.heic", "--draft", "later"]
    #expect(try stores.run(later).exit == 0)
    // A picture that the folder doesn't have yet.
    let picture = try #require(
      stores.cache.files.first { $0.hasPrefix("blobs/") && !before.contains($0) })
    try FileManager.default.removeItem(atPath: "\(stores.cache.folder.path)/\(picture)")
    #expect(try backUp("--keep", "0").exit == 65)
    #expect(snapshots.count == 5)
  }

  @Test("An empty folder that had backups is refused: its disk may be missing")
  func vanished() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    try FileManager.default.moveItem(atPath: folder, toPath: folder + "-disk")
    defer { try? FileManager.default.removeItem(atPath: folder + "-disk") }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let answer = try backUp()
    #expect(answer.exit == 73 && answer.text.contains("vanished"), "\(answer.text)")
    #expect(files.isEmpty)
    #expect(try stores.run(["backup", folder + "-disk"]).exit == 0)
  }

  @Test("A folder of backups can't be used as a cache")
  func asCache() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    let before = files
    let answer = try stores.run(["move", "--to-cache", folder])
    #expect(answer.exit == 73 && answer.text.contains("as-cache"), "\(answer.text)")
    #expect(files == before)
  }

  @Test("Leftovers of a killed run are deleted, and other files stay")
  func leftovers() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    let name = "incoming/" + String(repeating: "0a", count: 16) + "-0"
    let sample = path(name.replacing("-0", with: "-sample")) + "/blobs"
    try FileManager.default.createDirectory(atPath: sample, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: sample + "/link", withDestinationPath: path("snapshots"))
    for file in [name, name + "-journal", "incoming/letter", "snapshots/letter"] {
      try Data("text".utf8).write(to: URL(fileURLWithPath: path(file)))
    }
    #expect(try backUp().exit == 0)
    #expect(files.filter { $0.hasPrefix("incoming/") } == ["incoming/letter"])
    #expect(files.contains("snapshots/letter"))
  }

  @Test("Erased or forgotten records are deleted from the whole folder, snapshots included")
  func erased() throws {
    let announcement = try stores.fill()
    let old = try backUp().last["snapshot"] as? String
    let photo =
      try stores.run(["list", "--limit", "1000"]).text.split(separator: "\n")
      .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .first(where: { $0["fileName"] as? String == "baseline-420.jpg" })
    let erase = ["announcements", "erase", announcement.id, "--password", announcement.password]
    #expect(try stores.run(erase).exit == 0)
    let forget = ["forget", try #require(photo?["id"] as? String), "--only-copies"]
    #expect(try stores.run(forget).exit == 0)
    let after = try stores.told()
    let again = try backUp()
    #expect(again.exit == 0 && again.last["cleanedSnapshots"] as? Int == 1, "\(again.text)")
    #expect(again.last["removedPictures"] as? Int ?? 0 > 0)
    #expect(snapshots.count == 2)
    for file in files {
      guard let bytes = FileManager.default.contents(atPath: path(file)) else { continue }
      for secret in [announcement.id, "baseline-420.jpg", "600 700"] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(file)")
      }
    }
    let blob = try #require((photo?["blob"] as? [String: Any])?["sha256"] as? String)
    #expect(!files.contains { $0.hasSuffix(String(blob.dropFirst(2)) + ".jpg") })

    let restored = MovedStores()
    let snapshot = ["restore", folder, "--snapshot", try String(#require(old).prefix(24))]
    #expect(try restored.run(snapshot).exit == 0)
    #expect(try restored.told() == after)
    #expect(try restored.run(["verify", "--all"]).exit == 0)
  }

  @Test("A flipped bit anywhere is found by a restore")
  func flipped() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    for file in snapshots + ["petspot-backup"] + files.filter({ $0.hasSuffix("png") }) {
      let whole = try #require(FileManager.default.contents(atPath: path(file)))
      try flip(file)
      let answer = try MovedStores().run(["restore", folder])
      #expect(answer.exit == 65, "\(file): \(answer.text)")
      try whole.write(to: URL(fileURLWithPath: path(file)))
    }
    #expect(try MovedStores().run(["restore", folder]).exit == 0)
  }

  @Test("While a snapshot is damaged, only erased records are deleted")
  func damagedSnapshot() throws {
    let announcement = try stores.fill()
    for _ in 0..<5 { #expect(try backUp().exit == 0) }
    #expect(
      try stores.run(["attach", "TestImages/portrait-phone.heic", "--draft", "later"]).exit == 0)
    #expect(try backUp().exit == 0)
    #expect(try stores.run(["remove", "--draft", "later"]).exit == 0)
    let erase = ["announcements", "erase", announcement.id, "--password", announcement.password]
    #expect(try stores.run(erase).exit == 0)
    let (damaged, pictures) = (snapshots[0], files.filter { $0.hasPrefix("blobs/") })
    try flip(damaged)
    let answer = try backUp("--keep", "0")
    #expect(answer.exit == 65 && answer.text.contains(damaged), "\(answer.text)")
    #expect(answer.last["damagedFiles"] as? Int == 1)
    #expect(answer.last["expiredSnapshots"] as? Int == 0)
    #expect(answer.last["cleanedSnapshots"] as? Int == 5)
    #expect(snapshots.count == 7 && snapshots.contains(damaged))
    #expect(files.filter { $0.hasPrefix("blobs/") } == pictures)

    try FileManager.default.removeItem(atPath: path(damaged))
    let next = try backUp("--keep", "0")
    #expect(next.exit == 0 && next.last["expiredSnapshots"] as? Int == 4, "\(next.text)")
    #expect(next.last["removedPictures"] as? Int ?? 0 > 0)
  }

  @Test("A snapshot of another version stays, and so does everything old")
  func otherVersion() async throws {
    _ = try stores.fill()
    for _ in 0..<4 { #expect(try backUp().exit == 0) }
    // A version with other tables would write this snapshot.
    let catalog = try stores.cache.open().catalog
    _ = try catalog.database.write { t in
      try t.execute("UPDATE store SET schema = 'later'", isRepeated: false)
    }
    try catalog.close()
    let later = try Data(contentsOf: URL(fileURLWithPath: stores.cache.folder.catalog))
    let name = "snapshots/2026-11-20T03-30-00.000Z-\(sha256Text(later)).sqlite"
    try later.write(to: URL(fileURLWithPath: path(name)))
    #expect(try MovedStores().run(["restore", folder, "--snapshot", "2026-11-20"]).exit == 69)
    let restored = MovedStores()
    #expect(try restored.run(["restore", folder]).exit == 65)
    let answer = try restored.run(["backup", folder, "--keep", "0"])
    #expect(answer.exit == 69 && answer.last["newerFiles"] as? Int == 1, "\(answer.text)")
    #expect(answer.last["expiredSnapshots"] as? Int == 0)
    #expect(snapshots.contains(name) && snapshots.count == 6)
  }

  @Test("The newest three snapshots stay, not counting those from the future")
  func retention() throws {
    _ = try stores.fill()
    for _ in 0..<5 { #expect(try backUp("--keep", "0").exit == 0) }
    #expect(snapshots.count == 3)
    for (index, name) in snapshots.enumerated() {
      let future = name.replacing(/\/20../, with: "/210\(index)")
      try FileManager.default.moveItem(atPath: path(name), toPath: path(future))
    }
    for _ in 0..<4 { #expect(try backUp("--keep", "0").exit == 0) }
    #expect(snapshots.count { $0.contains("/210") } == 3 && snapshots.count == 6)
    // The newest snapshot that isn't from the future.
    #expect(try MovedStores().run(["restore", folder]).exit == 0)
  }

  @Test("A picture or record that isn't whole is named, and the rest is backed up")
  func notWhole() throws {
    let announcement = try stores.fill()
    let photos = try stores.run(["list", "--limit", "1000"]).text.split(separator: "\n")
      .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    let missing = try #require(photos.first { $0["fileName"] as? String == "alpha.png" })
    let sealed = try #require(photos.first { $0["fileName"] as? String == "animated.gif" })
    let blob = try #require((missing["blob"] as? [String: Any])?["sha256"] as? String)
    let file = try #require(stores.cache.files.first { $0.contains(blob.dropFirst(2)) })
    try FileManager.default.removeItem(atPath: stores.cache.folder.path + "/" + file)
    let catalog = try stores.cache.open().catalog
    _ = try catalog.database.write { t in
      try t.execute(
        "UPDATE photo SET \"pixelWidth\" = \"pixelWidth\" + 1 WHERE id = $1",
        [.text(sealed["id"] as? String ?? "")])
    }
    try catalog.close()
    let answer = try backUp()
    #expect(answer.exit == 65 && answer.last["photos"] as? Int == 6, "\(answer.text)")
    #expect(answer.last["missing"] as? Int ?? 0 > 0 && answer.last["damaged"] as? Int == 1)
    for photo in [missing, sealed] {
      #expect(
        answer.text.contains("\"event\":\"photo\",\"id\":\"\(photo["id"] as? String ?? "")\""))
    }
    let restored = MovedStores()
    let restoring = try restored.run(["restore", folder])
    #expect(restoring.exit == 65 && restoring.last["moved"] as? Int ?? 0 > 2, "\(restoring.text)")
    #expect(try restored.run(["announcements"]).text.contains(announcement.id))
  }

  @Test("A proof replaces damaged pictures from the store, and is recorded")
  func proof() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    let picture = try #require(files.first { $0.hasPrefix("previews/") && $0.contains(".") })
    let whole = FileManager.default.contents(atPath: path(picture))
    try flip(picture)
    #expect(try backUp().exit == 0)
    #expect(FileManager.default.contents(atPath: path(picture)) != whole)
    let proof = try backUp("--prove")
    #expect(proof.exit == 0 && proof.last["replacedPictures"] as? Int == 1, "\(proof.text)")
    #expect(proof.last["sampleRestored"] as? Bool == true)
    #expect(FileManager.default.contents(atPath: path(picture)) == whole)
    let doctor = try stores.run(["doctor"]).last["lastSuccess"] as? [String: Any]
    #expect(doctor?["prove"] is String && doctor?["backup"] is String)
  }

  @Test("A damaged picture that the store doesn't have stays, and the proof fails")
  func unprovable() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    let before = Set(files)
    #expect(
      try stores.run(["attach", "TestImages/portrait-phone.heic", "--draft", "later"]).exit == 0)
    #expect(try backUp().exit == 0)
    #expect(try stores.run(["remove", "--draft", "later"]).exit == 0)
    let pictures = files.filter { $0.hasPrefix("blobs/") }
    for file in pictures where file.contains(".") && !before.contains(file) { try flip(file) }
    let answer = try backUp("--prove")
    #expect(answer.exit == 65 && answer.last["damagedFiles"] as? Int == 1, "\(answer.text)")
    #expect(files.filter { $0.hasPrefix("blobs/") } == pictures)
  }

  @Test("Proofs reach every picture within 30 days, even if some days are left out")
  func rotation() throws {
    let day = 86_400.0
    var (last, moment) = (Date(timeIntervalSince1970: 1_795_000_000), Date.distantPast)
    var left = Set(0..<256)
    for days in [1.0, 1, 3, 1, 7, 1, 1, 2, 5, 1, 4, 3] {
      moment = last.addingTimeInterval(days * day)
      for part in StoreBackup.parts(sinceProof: last, now: moment) {
        left.subtract(part.prefixes.compactMap { Int($0, radix: 16) })
      }
      last = moment
    }
    #expect(left.isEmpty)
    #expect(StoreBackup.parts(sinceProof: nil) == [.whole])
    #expect(StoreBackup.parts(sinceProof: last.addingTimeInterval(day), now: last) == [.whole])
  }

  @Test(
    "Missing pictures are restored from a backup, even those that were derived from an original")
  func repaired() throws {
    _ = try stores.fill()
    #expect(try backUp().exit == 0)
    let cache = stores.cache.folder.path
    for kind in ["blobs", "previews"] {
      for file in try FileManager.default.subpathsOfDirectory(atPath: "\(cache)/\(kind)")
      where file.contains(".") {
        try FileManager.default.removeItem(atPath: "\(cache)/\(kind)/\(file)")
      }
    }
    #expect(try stores.run(["verify", "--repair", "--from", path("absent")]).exit == 66)
    let answer = try stores.run(["verify", "--repair", "--from", folder])
    #expect(try stores.run(["verify", "--all"]).exit == 0, "\(answer.text)")
  }

  @Test("Doctor finds a damaged catalog")
  func doctor() throws {
    _ = try stores.fill()
    #expect(!(try stores.run(["doctor"]).text.contains("\"code\":\"database\"")))
    let file = try #require(FileHandle(forUpdatingAtPath: stores.cache.folder.catalog))
    try file.seek(toOffset: 8192)
    try file.write(contentsOf: Data(repeating: 0x5A, count: 40_000))
    try file.close()
    let answer = try stores.run(["doctor"])
    #expect(answer.exit == 69 && answer.text.contains("\"code\":\"database\""), "\(answer.text)")
  }

  @Test(
    "The stores of two servers are backed up, with a list of objects or with pictures, and restored",
    .enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
  func servers() throws {
    let server = try S3Server.shared.get()
    let blobs = server.url()
    let databases = [try TestDatabase(), try TestDatabase()]
    defer { withExtendedLifetime(databases) {} }
    let large = MovedStores(databases[0], server, blobs: blobs)
    _ = try large.fill()
    let before = try large.told()
    let backup = try large.run(["backup", folder, "--prove"])
    #expect(backup.exit == 0 && backup.last["pictures"] as? Int == 0, "\(backup.text)")
    #expect(try MovedStores().run(["restore", folder]).exit == 64)
    let restored = MovedStores(databases[1], server, blobs: blobs)
    let answer = try restored.run(["restore", folder])
    #expect(answer.exit == 0 && answer.last["moved"] as? Int == 6, "\(answer.text)")
    #expect(try restored.told() == before)
    #expect(try restored.run(["verify", "--all"]).exit == 0)

    let copied = try large.run(["backup", folder, "--with-pictures"])
    #expect(copied.exit == 0 && copied.last["pictures"] as? Int ?? 0 > 6, "\(copied.text)")
    let folderStore = MovedStores()
    #expect(try folderStore.run(["restore", folder]).exit == 0)
    #expect(try folderStore.told() == before)
    #expect(try folderStore.run(["verify", "--all"]).exit == 0)
  }

  private func sha256Text(_ data: Data) -> String { sha256(of: [UInt8](data)) }
}
