import Foundation
import Testing

/// A browser without scripts. It keeps cookies, follows redirects, and submits forms as they are.
final class PageBrowser {
  let server: ServedPetspot
  let language: String
  private(set) var cookies: [String: String] = [:]

  init(_ server: ServedPetspot, language: String = "en") {
    (self.server, self.language) = (server, language)
  }

  var headers: [String: String] {
    let pairs = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    return ["Accept": "text/html", "Accept-Language": language, "Cookie": pairs]
      .filter { !$0.value.isEmpty }
  }

  /// Loads a page, following redirects.
  func open(_ path: String) async throws -> Page {
    let path = String(path.prefix { $0 != "#" })
    return try await follow(path, try await server.send("GET", path, headers))
  }

  /// Presses a button of the form of a page's step.
  func submit(
    _ page: Page, _ texts: [String: String] = [:], action: String = "next",
    photo: (name: String, bytes: Data)? = nil
  ) async throws -> Page {
    let (type, body) = page.form(texts, action: action, photo: photo)
    let sent = headers.merging(["Content-Type": type]) { $1 }
    return try await follow(
      page.action, try await server.send("POST", page.action, sent, body: body))
  }

  /// Posts fields to an address, as a page's other forms do.
  func post(_ path: String, _ fields: [String: String]) async throws -> Page {
    let sent = headers.merging(["Content-Type": Page.urlencoded]) { $1 }
    return try await follow(
      path, try await server.send("POST", path, sent, body: Page.encoded(fields)))
  }

  private func follow(_ path: String, _ answer: Answered) async throws -> Page {
    for line in answer.cookies {
      let pair = line.prefix { $0 != ";" }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      cookies[String(pair[0])] = line.contains("Max-Age=0") ? nil : String(pair[1])
    }
    guard answer.status == 303, let next = answer.header("Location") else {
      return Page(path: path, answer: answer)
    }
    return try await open(next)
  }
}

/// A page as it was received.
struct Page {
  let path: String
  let answer: Answered
  var status: Int { answer.status }
  var html: String { String(decoding: answer.body, as: UTF8.self) }

  init(path: String, answer: Answered) {
    (self.path, self.answer) = (String(path.prefix { $0 != "#" }), answer)
  }

  /// Returns whether the page has an element with this test ID.
  func has(_ testID: String) -> Bool { html.contains("data-testid=\"\(testID)\"") }

  /// Returns the text of the element with this test ID, without tags.
  func text(_ testID: String) -> String? {
    guard let begin = html.range(of: "data-testid=\"\(testID)\"") else { return nil }
    let rest = html[begin.upperBound...]
    guard let end = rest.firstIndex(of: ">") else { return nil }
    return String(rest[rest.index(after: end)...].prefix { $0 != "<" })
  }

  var title: String {
    let match = html.firstMatch(of: #/<title>(.*?)</title>/#)
    return match.map { String($0.1) } ?? ""
  }

  /// The address that the step's form is sent to.
  var action: String {
    let match = html.firstMatch(of: #/id="step" class="step" method="post" action="([^"]*)"/#)
    return match.map { String($0.1) } ?? ""
  }

  /// The values in the fields.
  var values: [String: String] {
    var values: [String: String] = [:]
    for tag in html.matches(of: #/<input [^>]*>/#).map({ String($0.output) }) {
      guard let name = Self.attribute("name", of: tag), Self.attribute("type", of: tag) != "file"
      else { continue }
      let isBox = ["radio", "checkbox"].contains(Self.attribute("type", of: tag))
      if isBox, !tag.contains(" checked") { continue }
      values[name] = Self.attribute("value", of: tag) ?? ""
    }
    if let chosen = html.firstMatch(of: #/<option value="([^"]*)" selected>/#) {
      values["species"] = String(chosen.1)
    }
    if let area = html.firstMatch(of: #/<textarea id="description"[^>]*>\n([^<]*)</textarea>/#) {
      values["description"] = Self.unescaped(String(area.1))
    }
    return values
  }

  static let urlencoded = "application/x-www-form-urlencoded"

  /// Returns the content type and body of the step's form.
  func form(
    _ texts: [String: String], action: String, photo: (name: String, bytes: Data)?
  ) -> (type: String, body: Data) {
    let fields = values.filter { !["return", "language"].contains($0.key) }
      .merging(texts) { $1 }.merging(["action": action]) { $1 }
    guard html.contains("enctype=\"multipart/form-data\"") else {
      return (Self.urlencoded, Self.encoded(fields))
    }
    var body = Data()
    for (name, text) in fields {
      let head = "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
      body += Data((head + text + "\r\n").utf8)
    }
    let head =
      "--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"\(photo?.name ?? "")\"\r\n"
      + "Content-Type: application/octet-stream\r\n\r\n"
    body += Data(head.utf8) + (photo?.bytes ?? Data()) + Data("\r\n--b--\r\n".utf8)
    return ("multipart/form-data; boundary=b", body)
  }

  static func encoded(_ fields: [String: String]) -> Data {
    let plain = CharacterSet.alphanumerics
    let pairs = fields.map { name, text in
      "\(name)=" + (text.addingPercentEncoding(withAllowedCharacters: plain) ?? "")
    }
    return Data(pairs.joined(separator: "&").utf8)
  }

  private static func attribute(_ name: String, of tag: String) -> String? {
    guard let begin = tag.range(of: " \(name)=\"") else { return nil }
    return unescaped(String(tag[begin.upperBound...].prefix { $0 != "\"" }))
  }

  private static func unescaped(_ text: String) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(text) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
  }
}

extension PageBrowser {
  static let description = [
    "species": "dog", "race": "Golden <b>Retriever</b>", "gender": "male",
    "petName": "Max & \"Co\"",
    "age": "5", "near": "by the lake", "latitude": "52,2297", "longitude": "21,0122",
    "description": "Blue collar.",
  ]
  static let contact = [
    "name": "Ola Nowak", "phone": "+48 600 111 222", "email": "ola@example.org", "reward": "100 zł",
  ]

  /// Continues from step 4 with these fields, and publishes the review.
  func publish(_ contact: Page, _ texts: [String: String] = PageBrowser.contact) async throws
    -> Page
  {
    let review = try await submit(contact, texts)
    guard review.path == "/report/review" else { return review }
    return try await post("/report/review", ["seen": review.values["seen"] ?? ""])
  }

  /// Fills in the report up to step 4.
  func report(photo: String = "orientation-6.jpg") async throws -> Page {
    let chip = try await open("/report")
    #expect(chip.path == "/report/chip")
    var page = try await submit(chip, ["chip": "12345"])
    #expect(page.path == "/report/photo")
    page = try await submit(page, photo: (photo, try ServedPetspot.photo(photo)))
    #expect(page.path == "/report/description")
    page = try await submit(page, Self.description)
    #expect(page.path == "/report/contact")
    return page
  }
}
