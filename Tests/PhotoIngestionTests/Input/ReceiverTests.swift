import ImageContainers
import Foundation
import SystemPackage
import Testing

@testable import PhotoIngestion

@Suite("Receiver")
struct ReceiverTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> FilePath { FilePath(folder.path).appending(name) }

  @Test func readsAFileWithItsDigest() throws {
    try Data("abc".utf8).write(to: folder.appending(path: "a.jpg"))
    let file = try Receiver.receive(.file(path("a.jpg")), limit: 10)
    #expect(file.bytes == Array("abc".utf8))
    #expect(file.name == "a.jpg")
    #expect(file.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test("Data and bytes that arrive in pieces or one by one are sources, up to a limit")
  func arriving() async throws {
    let bytes = Array("abcdef".utf8)
    let pieces = AsyncStream { continuation in
      for piece in [bytes[..<2], bytes[2...]] { continuation.yield(piece) }
      continuation.finish()
    }
    let single = AsyncStream { continuation in
      for byte in bytes { continuation.yield(byte) }
      continuation.finish()
    }
    let sources: [PhotoSource] = [
      .data(Data(bytes), name: "a.jpg"),
      try await .collecting(pieces, name: "a.jpg", limit: 6),
      try await .collecting(single, name: "a.jpg", limit: 6),
    ]
    for source in sources {
      let file = try Receiver.receive(source, limit: 6)
      #expect(file.bytes == bytes && file.name == "a.jpg")
    }
    let endless = AsyncStream(unfolding: { Optional(bytes) })
    await #expect(throws: PhotoError.tooLarge(.fileBytes, actual: 12, limit: 11)) {
      try await PhotoSource.collecting(endless, limit: 11)
    }
  }

  @Test("An open file is read even if its descriptor was closed and reused for another file")
  func outlivesItsDescriptor() throws {
    try Data("mine".utf8).write(to: folder.appending(path: "a.jpg"))
    try Data("another's".utf8).write(to: folder.appending(path: "b.jpg"))
    let descriptor = open(folder.appending(path: "a.jpg").path, O_RDWR)
    try #require(descriptor >= 0)
    let source = PhotoSource.open(try PhotoFile(reopening: descriptor), name: "a.jpg")
    let other = open(folder.appending(path: "b.jpg").path, O_RDONLY)
    dup2(other, descriptor)
    close(other)
    defer { close(descriptor) }
    unlink(folder.appending(path: "a.jpg").path)
    let file = try Receiver.receive(source, limit: 10)
    #expect(file.bytes == Array("mine".utf8) && file.name == "a.jpg")
    #expect(throws: PhotoError.tooLarge(.fileBytes, actual: 4, limit: 3)) {
      try Receiver.receive(source, limit: 3)
    }
  }

  @Test func refusesAnEmptyFile() throws {
    try Data().write(to: folder.appending(path: "a.jpg"))
    #expect(throws: PhotoError.empty) { try Receiver.receive(.file(path("a.jpg")), limit: 10) }
    #expect(throws: PhotoError.empty) {
      try Receiver.receive(.bytes([], name: "x"), limit: 10)
    }
  }

  @Test func refusesMoreBytesThanAllowed() throws {
    try Data(count: 11).write(to: folder.appending(path: "a.jpg"))
    let error = PhotoError.tooLarge(.fileBytes, actual: 11, limit: 10)
    #expect(throws: error) { try Receiver.receive(.file(path("a.jpg")), limit: 10) }
  }

  @Test func neverOpensWhatIsNoFile() throws {
    mkfifo(folder.appending(path: "fifo.jpg").path, 0o600)
    let kinds = ["fifo.jpg": "fifo", "": "directory"]
    for (name, kind) in kinds {
      #expect(throws: PhotoError.unreadable(.notAFile(kind: kind))) {
        try Receiver.receive(.file(name.isEmpty ? FilePath(folder.path) : path(name)), limit: 10)
      }
    }
    #expect(throws: PhotoError.unreadable(.notAFile(kind: "device"))) {
      try Receiver.receive(.file("/dev/zero"), limit: 10)
    }
  }

  @Test func refusesASocket() throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = "/tmp/\(UUID().uuidString.prefix(8)).sock"
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    defer { unlink(name) }
    #expect(throws: PhotoError.unreadable(.notAFile(kind: "socket"))) {
      try Receiver.receive(.file(FilePath(name)), limit: 10)
    }
  }

  @Test func saysWhyAFileCannotBeOpened() {
    #expect(throws: PhotoError.unreadable(.system(errno: ENOENT))) {
      try Receiver.receive(.file(path("gone.jpg")), limit: 10)
    }
  }

  @Test(arguments: [
    ("caf\u{E9}.jpg", "caf\u{E9}.jpg"),
    ("esc\u{1B}[31m.jpg", "esc\\x1B[31m.jpg"),
    ("\u{202E}gpj.exe", "\\u{202E}gpj.exe"),
    ("two\nlines.jpg", "two\\nlines.jpg"),
    ("👩\u{200D}👧.jpg", "👩\u{200D}👧.jpg"),
  ])
  func showsNamesWithoutControlCharacters(_ name: String, _ shown: String) {
    #expect(Receiver.displayName(name) == shown)
  }

  @Test func boundsTheLengthOfNames() {
    #expect(Receiver.displayName(String(repeating: "a", count: 5_000)).count == 255)
  }

  @Test func keepsBytesThatAreNoText() {
    let raw: [CChar] = [0x62, -1, 0x2E, 0x6A, 0]
    let path = raw.withUnsafeBufferPointer { FilePath(platformString: $0.baseAddress!) }
    #expect(PhotoSource.file(path).name == "b\\xFF.j")
  }
}
