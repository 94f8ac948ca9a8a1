import HTTPClient
import Testing

/// Dates in responses of stores, which libcurl parses.
@Suite struct HTTPDateTests {
  @Test(
    "All three forms of RFC 9110, 5.6.7 are parsed",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
  func read(_ text: String) { #expect(CurlTransport.seconds(of: text) == 784_111_777) }

  @Test(
    "Other texts are not dates", arguments: ["", "yesterday", "Sun, 06 Smarch 1994 08:49:37 GMT"])
  func none(_ text: String) { #expect(CurlTransport.seconds(of: text) == nil) }
}
