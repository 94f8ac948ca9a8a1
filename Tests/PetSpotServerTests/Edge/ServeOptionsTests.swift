import Foundation
import Testing

@Suite("The options of petspot serve reach the server")
struct ServeOptionsTests {
  @Test("Every option sets its setting")
  func options() async throws {
    let password = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data("secret\n".utf8).write(to: password)
    defer { try? FileManager.default.removeItem(at: password) }
    let server = try ServedPetspot([
      "--host", "127.0.0.1", "--base-url", "http://localhost:9", "--upload-limit", "100",
      "--draft-space", "1GB", "--photo-space", "9000TB", "--keep-free", "1MB",
      "--size-space", "1MB",
      "--trust-proxy", "10.0.0.0/8", "--trust-proxy", "::1", "--no-client-limits",
      "--log-format", "json", "--mail", "smtp://127.0.0.1:9?from=a@example.org",
      "--mail-password-file", password.path,
      "--metrics-port", "0", "--metrics-host", "127.0.0.2", "--operator-name", "Paws",
      "--operator-contact", "a@example.org",
    ])
    // The printed address is that of the socket, even if responses have another base address.
    #expect(server.base == "http://127.0.0.1:\(server.port)")
  }
}
