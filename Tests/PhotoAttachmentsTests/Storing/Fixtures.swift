import Foundation
import Glibc
import ImageContainers
import Logging
import Synchronization
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion

/// A cache folder of its own for one test, gone when the test is.
final class TemporaryCache: Sendable {
  let folder: CacheFolder

  init() {
    folder = CacheFolder(
      path: FileManager.default.temporaryDirectory.path + "/petspot-tests-\(UUID().uuidString)")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder.path) }

  func open(
    busyTimeout: TimeInterval = 5, now: @escaping @Sendable () -> Date = { Date() }
  ) throws -> PhotoAttachmentCache {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return try .open(
      folder, busyTimeout: busyTimeout, pool: WorkerPool(threadCount: 2), now: now, logger: logger)
  }

  /// Paths below the cache folder of all files in its three picture folders, sorted.
  var files: [String] {
    ["incoming", "blobs", "previews"].flatMap { name in
      (FileManager.default.enumerator(atPath: folder.path + "/" + name)?.allObjects ?? [])
        .compactMap { $0 as? String }.map { name + "/" + $0 }
    }.filter {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: folder.path + "/" + $0, isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: folder.path + "/" + name, atomically: false, encoding: .utf8)
  }

  /// Moves a file's time of writing into the past.
  func age(_ name: String, seconds: TimeInterval) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date().addingTimeInterval(-seconds)],
      ofItemAtPath: folder.path + "/" + name)
  }
}

extension PhotoAttachmentCache {
  /// Verifies, decoding in this process.
  func verify(
    all: Bool = false, _ change: (inout VerifyOptions) -> Void = { _ in }
  ) async throws -> VerifyReport {
    try await verifyTelling(all: all, change).report
  }

  /// The same with what was told.
  func verifyTelling(
    all: Bool = false, _ change: (inout VerifyOptions) -> Void = { _ in }
  ) async throws -> (report: VerifyReport, findings: [VerifyReport.Finding]) {
    var options = VerifyOptions()
    options.all = all
    change(&options)
    let told = Told()
    let verifier = PhotoVerifier(
      cache: self, pipeline: PhotoPipeline(decoders: nil), options: options)
    let report = try await verifier.run { finding throws(PhotoError) in told.add(finding) }
    return (report, told.findings)
  }

  private final class Told: Sendable {
    private let list = Mutex<[VerifyReport.Finding]>([])
    var findings: [VerifyReport.Finding] { list.withLock { $0 } }
    func add(_ finding: VerifyReport.Finding) { list.withLock { $0.append(finding) } }
  }
}

extension EncodedPicture {
  /// A valid PNG of one pixel in one of 2^24 colors, so that every number has bytes of its own.
  ///
  /// - Parameter apart: coded in two blocks, so that other bytes give the same pixel.
  static func png(_ color: Int, apart: Bool = false) -> EncodedPicture {
    let pixel = [0, UInt8(color >> 16 & 255), UInt8(color >> 8 & 255), UInt8(color & 255)]
    // zlib with one stored block (RFC 1950, RFC 1951).
    let stored: [UInt8] =
      apart
      ? [0x78, 0x01, 0, 2, 0, 0xFD, 0xFF] + pixel[..<2] + [1, 2, 0, 0xFD, 0xFF] + pixel[2...]
      : [0x78, 0x01, 0x01, 4, 0, 0xFB, 0xFF] + pixel
    var (a, b) = (UInt32(1), UInt32(0))
    for byte in pixel {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    let header = bigEndian(1) + bigEndian(1) + [8, 2, 0, 0, 0]
    return picture(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
        + chunk("IDAT", stored + bigEndian(b << 16 | a)) + chunk("IEND", []))
  }

  /// Walks as a PNG of one pixel, but its compressed data are none.
  static let pngWithoutPixels: EncodedPicture = {
    let header = bigEndian(1) + bigEndian(1) + [8, 2, 0, 0, 0]
    return picture(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
        + chunk("IDAT", [1, 2, 3, 4]) + chunk("IEND", []))
  }()

  /// Bytes that are no picture but as many as asked for.
  static func bulk(_ count: Int) -> EncodedPicture { picture([UInt8](repeating: 7, count: count)) }

  private static func picture(_ bytes: [UInt8]) -> EncodedPicture {
    EncodedPicture(
      bytes: bytes, format: .png, pixelWidth: 1, pixelHeight: 1, frameCount: 1,
      sha256: PhotoIngestion.sha256(of: bytes))
  }

  private static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    let checked = Array(type.utf8) + body
    var crc = UInt32.max
    for byte in checked {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return bigEndian(UInt32(body.count)) + checked + bigEndian(~crc)
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
  }
}

extension PreparedPhoto {
  /// A photo whose blob is PNG `color` and whose preview is PNG `color + 1000`.
  static func sample(_ color: Int, fileName: String = "rex.heic") -> PreparedPhoto {
    PreparedPhoto(
      fileName: fileName, fileSizeBytes: 1234, format: .heic, pixelWidth: 3024, pixelHeight: 4032,
      source: SourceFacts(
        sha256: sha256(of: [UInt8(color & 255), UInt8(color >> 8 & 255)]), orientation: 6,
        frameCount: 1, hasAlpha: true, colorProfile: "Display P3",
        capturedAt: "2026-05-01T12:00:00+02:00", hasLocation: true),
      blob: .png(color), preview: .png(color + 1000),
      normalization: Normalization(
        method: .reEncoded, reasons: [.orientation, .format], losses: ["depth-map"],
        repairs: ["heif-multi-cdsc"], removed: [.init(kind: "exif", bytes: 2048)]))
  }
}

/// Starts a command found on the path, nil when it cannot be started. (Foundation's `Process` can
/// wait for ever when it is not waited for on the thread that started it.)
private func spawn(_ command: [String]) -> pid_t? {
  let arguments = command.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var pid = pid_t()
  return posix_spawnp(&pid, command[0], nil, nil, arguments, environ) == 0 ? pid : nil
}

/// A process that runs until it is ended, to own something.
final class OtherProcess {
  let identity: ProcessIdentity
  private var isRunning = true

  init() throws {
    let pid = try #require(spawn(["sleep", "600"]))
    let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let fields = stat.split(separator: ")").last!.split(separator: " ")
    identity = ProcessIdentity(
      pid: pid, startTicks: UInt64(fields[19])!, bootID: ProcessIdentity.current.bootID)
  }

  func end() {
    guard isRunning else { return }
    isRunning = false
    kill(identity.pid, SIGKILL)
    var status: Int32 = 0
    waitpid(identity.pid, &status, 0)
  }

  deinit { end() }
}

/// A small file system of its own; nil when this machine does not let us mount one.
final class SmallDisk {
  let path: String

  init?(options: String) {
    path = FileManager.default.temporaryDirectory.path + "/petspot-disk-\(UUID().uuidString)"
    mkdir(path, 0o700)
    guard Self.run("mount", "-t", "tmpfs", "-o", options, "tmpfs", path) else {
      rmdir(path)
      return nil
    }
  }

  func remount(_ options: String) { _ = Self.run("mount", "-o", "remount," + options, path) }

  deinit {
    _ = Self.run("umount", "-l", path)
    rmdir(path)
  }

  /// Whether this machine lets us mount.
  static let isPossible = geteuid() == 0 && SmallDisk(options: "size=64k") != nil

  private static func run(_ command: String...) -> Bool {
    var status: Int32 = -1
    guard let pid = spawn(command), waitpid(pid, &status, 0) == pid else { return false }
    return status == 0
  }
}
