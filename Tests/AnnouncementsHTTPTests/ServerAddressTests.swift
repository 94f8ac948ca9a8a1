import Foundation
import Testing

@testable import AnnouncementsHTTP

@Suite("Addresses of servers")
struct ServerAddressTests {
  @Test(
    "An address has a scheme and a host, and no secret",
    arguments: [
      ("https://pets.example.org", "https://pets.example.org"),
      ("HTTP://127.0.0.1:8080/", "http://127.0.0.1:8080"),
      ("https://example.org/pets//", "https://example.org/pets"),
      ("http://[::1]:8080", "http://[::1]:8080"),
      ("", nil), ("pets.example.org", nil), ("ftp://example.org", nil), ("http://", nil),
      ("https:///path", nil), ("file:///etc/passwd", nil), ("https://jan:code@example.org", nil),
      ("https://jan@example.org", nil), ("https://example.org?x=1", nil),
      ("https://example.org#x", nil), ("http://exa mple.org", nil), ("//example.org", nil),
    ] as [(String, String?)])
  func reading(_ text: String, _ expected: String?) {
    #expect(ServerAddress(text)?.description == expected)
  }

  @Test(
    "Only TLS or a loopback address protects a connection from eavesdroppers",
    arguments: [
      ("https://example.org", true), ("http://127.0.0.1:1", true), ("http://localhost", true),
      ("http://[::1]:8080", true), ("http://example.org", false), ("http://127.example.org", false),
    ])
  func privacy(_ text: String, _ expected: Bool) throws {
    #expect(try #require(ServerAddress(text)).isPrivate == expected)
  }

  @Test(
    "An upload's address always stays on this server",
    arguments: [
      ("http://127.0.0.1:99/api/v1/uploads/x", "https://example.org/api/v1/uploads/x"),
      ("uploads/x", "https://example.org/pets/api/uploads/x"),
      ("/uploads/x?y=1", "https://example.org/uploads/x?y=1"),
      ("https://jan:code@elsewhere.org/uploads/x", "https://example.org/uploads/x"),
      ("//elsewhere.org/x", "https://example.org/x"),
    ])
  func location(_ text: String, _ expected: String) throws {
    let address = try #require(ServerAddress("https://example.org/pets"))
    let url = address.url(location: text, of: try address.url("/api/begin"))
    #expect(url?.absoluteString == expected)
  }
}
