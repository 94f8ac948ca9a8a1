import Foundation
import Glibc
import TestPictures
import Testing

@Suite("petspot serve")
struct ServeTests {
  @Test("SIGTERM and SIGINT end the server with exit code 0", arguments: [SIGTERM, SIGINT])
  func ends(_ signal: Int32) async throws {
    let server = try ServedPetspot()
    #expect(try await server.send("GET", "/api/health").json["status"] as? String == "ok")
    #expect(server.end(signal) == 0)
  }

  @Test("A port in use ends with exit code 69")
  func takenPort() throws {
    let server = try ServedPetspot()
    let (exitCode, output) = try Self.run(["serve", "--port", "\(server.port)", "--json"])
    #expect(exitCode == 69 && output.contains("\"code\":\"port-taken\""))
  }

  @Test("A metrics port in use has an error of its own")
  func takenMetricsPort() throws {
    let server = try ServedPetspot()
    let (exitCode, output) = try Self.run(
      ["serve", "--port", "0", "--metrics-port", "\(server.port)", "--json"])
    #expect(exitCode == 69 && output.contains("\"code\":\"metrics-port-taken\""))
    #expect(output.contains("\(server.port)") && output.contains("--metrics-port"))
  }

  @Test("A host without an address ends with exit code 69")
  func unknownHost() throws {
    let (exitCode, output) = try Self.run(
      ["serve", "--port", "0", "--host", "host.invalid", "--json"])
    #expect(exitCode == 69 && output.contains("\"code\":\"listening\""))
  }

  @Test("A second server works on the same cache")
  func second() async throws {
    let first = try ServedPetspot()
    let second = try ServedPetspot(cache: first.cache)
    let (id, _) = try await first.announce()
    #expect(try await second.send("GET", "/api/v1/announcements/\(id)").status == 200)
  }

  @Test(
    "Invalid options end with exit code 64",
    arguments: [
      ["--port", "70000"], ["--base-url", "pets.example.org"], ["--tls-key", "key.pem"],
      ["--base-url", "https://example.org/pets"],
      ["--trust-proxy", "10.0.0.0/33"], ["--upload-limit", "0"],
    ])
  func wrongUse(_ arguments: [String]) throws {
    #expect(try Self.run(["serve"] + arguments).exitCode == 64)
  }

  @Test("A limit on file sizes is reported as a full disk, and the server keeps running")
  func fileSizes() async throws {
    let server = try ServedPetspot()
    let (id, owner) = try await server.announce()
    let photo = try ServedPetspot.photo("portrait-phone.heic")
    try server.limitFiles(to: "4096")
    let refused = try await server.upload(photo, to: id, owner)
    #expect(refused.status == 507 && refused.code == "STORAGE_FULL")
    try server.limitFiles(to: "unlimited")
    #expect(try await server.upload(photo, to: id, owner).status == 201)
    #expect(server.end() == 0)
  }

  @Test("With -v the log names the services but none of their secrets")
  func verbose() async throws {
    let log = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID())")
    try Data().write(to: log)
    defer { try? FileManager.default.removeItem(at: log) }
    let server = try ServedPetspot(["-v"], errors: try FileHandle(forWritingTo: log))
    #expect(try await server.send("GET", "/api/health").status == 200)
    #expect(server.end() == 0)
    let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix(" sl-service=UploadSweeping") })
    #expect(lines.allSatisfy { $0.utf8.count < 400 && !$0.contains("PetSpotServer.") })
  }

  @Test("An invalid certificate ends with exit code 69")
  func wrongCertificate() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID()).pem")
    try Data("no certificate".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (exitCode, output) = try Self.run([
      "serve", "--port", "0", "--json", "--tls-certificate", file.path, "--tls-key", file.path,
    ])
    #expect(exitCode == 69 && output.contains("\"code\":\"certificate\""))
  }

  /// - Parameter errors: returns standard error instead of standard output.
  static func run(
    _ arguments: [String], errors: Bool = false
  ) throws -> (exitCode: Int32, output: String) {
    let cache = FileManager.default.temporaryDirectory.appending(path: "serve-\(UUID())")
    defer { try? FileManager.default.removeItem(at: cache) }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: Petspot.path)
    process.arguments = arguments + ["--cache", cache.path]
    process.standardOutput = errors ? FileHandle.nullDevice as Any : output
    process.standardError = errors ? output as Any : FileHandle.nullDevice
    try process.run()
    let told = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: told, as: UTF8.self))
  }
}
