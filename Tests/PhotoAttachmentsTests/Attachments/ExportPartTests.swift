import Foundation
import Glibc
import Testing

@testable import PhotoAttachments

@Suite("Partial files of an export")
final class ExportPartTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/parts-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder) }
  }

  @Test("A partial file is locked while it is written, so another export leaves it")
  func locked() throws {
    let part = try ExportPart(in: folder, for: folder + "/a.jpg")
    ExportPart.removeAbandoned(in: folder)
    #expect(try names.count == 1)
    #expect(try part.finish([1, 2, 3], dated: timespec(tv_sec: 1, tv_nsec: 0)))
    #expect(try names == ["a.jpg"])
    #expect(FileManager.default.contents(atPath: folder + "/a.jpg") == Data([1, 2, 3]))
  }

  @Test("A partial file is deleted if its name is taken or if it is given up")
  func taken() throws {
    try Data("mine".utf8).write(to: URL(filePath: folder + "/a.jpg"))
    let date = timespec(tv_sec: 1, tv_nsec: 0)
    #expect(try !ExportPart(in: folder, for: folder + "/a.jpg").finish([1], dated: date))
    _ = try ExportPart(in: folder, for: folder + "/b.jpg")
    #expect(try names == ["a.jpg"])
    #expect(FileManager.default.contents(atPath: folder + "/a.jpg") == Data("mine".utf8))
  }

  @Test("A partial file of a killed process is deleted")
  func abandoned() throws {
    let name = ".petspot-\(UUID().uuidString).part"
    for name in [name, name.lowercased(), name + "x"] {
      try Data("part".utf8).write(to: URL(filePath: folder + "/" + name))
    }
    ExportPart.removeAbandoned(in: folder)
    #expect(try Set(names) == [name.lowercased(), name + "x"])
  }
}
