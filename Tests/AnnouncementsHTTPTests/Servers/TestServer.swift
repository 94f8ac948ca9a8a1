import Announcements
import AnnouncementsHTTP
import Foundation
import Logging
import Testing

/// The built program, which serves a cache folder of its own. Tests can kill it and start it again.
final class TestServer {
  /// The folder with all files of the test.
  let work: URL
  private(set) var address: ServerAddress
  private(set) var port: UInt16 = 0
  private var process = Process()
  private static let programs = Bundle.main.bundleURL
  private static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TZ": "UTC"]

  private let options: [String]

  /// - Parameter isEncrypted: serves TLS with a certificate that no authority signed.
  init(isEncrypted: Bool = false) throws {
    work = FileManager.default.temporaryDirectory.appending(path: "served-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    address = try #require(ServerAddress("http://127.0.0.1"))
    options = isEncrypted ? try Self.certificate(in: work) : []
    try start()
  }

  static let openssl = URL(filePath: "/usr/bin/openssl")

  private static func certificate(in folder: URL) throws -> [String] {
    let files = ["key.pem", "certificate.pem"].map { folder.appending(path: $0).path }
    let process = Process()
    process.executableURL = openssl
    process.arguments = [
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
      "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", files[0], "-out", files[1],
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return ["--tls-key", files[0], "--tls-certificate", files[1]]
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: work)
  }

  /// Starts the server, on its previous port if it had one.
  func start() throws {
    process = Process()
    process.executableURL = Self.programs.appending(path: "petspot")
    process.arguments =
      [
        "serve", "--port", String(port), "--json", "--no-client-limits", "--cache",
        work.appending(path: "served").path,
      ] + options
    process.environment = Self.environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The server prints one line, and the pipe stays open.
    let line = output.fileHandleForReading.availableData
    let told = try JSONSerialization.jsonObject(with: line) as? [String: Any]
    let url = try #require(told?["url"] as? String, "\(String(decoding: line, as: UTF8.self))")
    address = try #require(ServerAddress(url))
    port = try #require(URL(string: url)?.port.flatMap(UInt16.init(exactly:)))
  }

  /// Sends SIGKILL, which is like a power cut.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Returns a repository that connects to this server, or to the proxy in front of it.
  func repository(
    through proxy: UInt16? = nil, waits: [Duration] = HTTPAnnouncementRepository.standardWaits
  ) throws -> HTTPAnnouncementRepository {
    let address = try #require(ServerAddress("http://127.0.0.1:\(proxy ?? port)"))
    return HTTPAnnouncementRepository(
      address, uploads: notes, logger: Logger(label: "test"), waits: waits)
  }

  /// The file in which repositories remember uploads.
  var notes: URL { work.appending(path: "sent-uploads.json") }

  /// Returns a photo of about 3 MB, which is sent in several pieces.
  func photo(seed: UInt64 = 1) throws -> AnnouncementPhoto {
    let file = work.appending(path: "noise-\(seed).png")
    try noisePNG(width: 1100, height: 1000, seed: seed).write(to: file)
    return AnnouncementPhoto(id: UUID(), file: file, sha256: "noise-\(seed)", uti: "public.png")
  }

  /// Runs the program with a cache of its own.
  func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (exitCode: Int32, out: String, err: String) {
    let files = ["out", "err"].map { work.appending(path: $0 + UUID().uuidString) }
    for file in files { try Data().write(to: file) }
    let process = Process()
    process.executableURL = Self.programs.appending(path: "petspot")
    process.arguments = arguments
    process.environment = Self.environment.merging([
      "PETSPOT_CACHE": work.appending(path: "own").path
    ]) { $1 }.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
    return (process.terminationStatus, texts[0], texts[1])
  }
}
