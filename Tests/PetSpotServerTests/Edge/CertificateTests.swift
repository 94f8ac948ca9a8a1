import Foundation
import Testing

@Suite(
  "Certificates in files",
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
struct CertificateTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func write(_ name: String, certificate: String, key: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
      "2",
      "-subj", "/CN=\(name)", "-keyout", folder.appending(path: key).path,
      "-out", folder.appending(path: certificate).path,
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  /// Returns the subject of the server's certificate, according to openssl.
  private func shown(_ port: Int) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = ["s_client", "-connect", "127.0.0.1:\(port)"]
    process.standardInput = FileHandle.nullDevice
    (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
    try process.run()
    let told = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return told.firstMatch(of: #/CN ?= ?([a-z]+)/#).map { String($0.1) } ?? told
  }

  private func waitUntil(_ port: Int, shows name: String) async throws -> Bool {
    for _ in 0..<200 {
      if try shown(port) == name { return true }
      try await Task.sleep(for: .milliseconds(100))
    }
    return false
  }

  @Test("An error names the wrong file and what to do")
  func wrongFiles() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("first", certificate: "certificate.pem", key: "key.pem")
    try write("second", certificate: "other.pem", key: "other-key.pem")
    let words = folder.appending(path: "words.pem").path
    try Data("no certificate".utf8).write(to: URL(filePath: words))
    func file(_ name: String) -> String { folder.appending(path: name).path }
    for (certificate, key, named, other, advice) in [
      ("none.pem", "key.pem", "none.pem can't be read: No such file", "key.pem", "Check the path"),
      (
        "certificate.pem", "none.pem", "none.pem can't be read", "certificate.pem",
        "Check the path"
      ),
      ("words.pem", "key.pem", "words.pem holds no certificate", "key.pem ", "--tls-certificate"),
      ("key.pem", "key.pem", "key.pem holds no certificate", "other", "--tls-certificate"),
      (
        "certificate.pem", "words.pem", "words.pem holds no private key", "certificate.pem",
        "--tls-key"
      ),
      (
        "certificate.pem", "certificate.pem", "certificate.pem holds no private key", "other",
        "--tls-key"
      ),
      (
        "certificate.pem", "other-key.pem", "doesn't belong to the certificate in",
        "other.pem", "--tls-key"
      ),
    ] {
      let (exitCode, errors) = try ServeTests.run(
        ["serve", "--port", "0", "--tls-certificate", file(certificate), "--tls-key", file(key)],
        errors: true)
      #expect(exitCode == 69)
      #expect(errors.contains(named) && errors.contains(advice), "\(errors)")
      #expect(!errors.contains("/" + other), "\(errors)")
    }
  }

  @Test(
    "A renewed pair is used without a restart; a pair that doesn't match is not",
    .timeLimit(.minutes(30)))
  func renewed() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("first", certificate: "certificate.pem", key: "key.pem")
    let server = try ServedPetspot([
      "--tls-certificate", folder.appending(path: "certificate.pem").path,
      "--tls-key", folder.appending(path: "key.pem").path,
    ])
    #expect(server.base.hasPrefix("https://"))
    #expect(try shown(server.port) == "first")
    // The new certificate doesn't match the old key.
    try write("second", certificate: "certificate.pem", key: "other.pem")
    try await Task.sleep(for: .seconds(5))
    #expect(try shown(server.port) == "first")
    try FileManager.default.removeItem(at: folder.appending(path: "key.pem"))
    try FileManager.default.moveItem(
      at: folder.appending(path: "other.pem"), to: folder.appending(path: "key.pem"))
    #expect(try await waitUntil(server.port, shows: "second"))
    #expect(server.end() == 0)
  }
}
