import TestPictures
import Testing

@testable import PhotoUploads

@Suite("Multipart bodies")
struct MultipartParserTests {
  private static let head = "Content-Disposition: form-data; name=\"f\"\r\n\r\n"

  private func read(
    _ text: String, limits: MultipartParser.FormLimits = .init()
  ) throws -> [MultipartTelling] {
    try MultipartTelling.read(Array(text.utf8), limits: limits)
  }

  @Test("A photo and a field are reported in order")
  func whole() throws {
    let told = try read(
      "--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"Rex.jpg\"\r\n"
        + "Content-Type: image/jpeg\r\n\r\n\u{1}JPEG\r\n"
        + "--b\r\ncontent-disposition:FORM-DATA;NAME=note\r\nX-Other: 1\r\n\r\nfound\r\n--b--\r\n")
    #expect(
      told == [
        .part(name: "photo", fileName: "Rex.jpg", contentType: "image/jpeg"),
        .content("\u{1}JPEG"), .endOfPart,
      ] + MultipartTelling.field("note", "found") + [.end])
  }

  @Test(
    "A body without parts is complete",
    arguments: ["--b--", "--b--\r\n", "\r\n--b--", "x\r\n--b--"])
  func noParts(_ body: String) throws { #expect(try read(body) == [.end]) }

  /// Contents that begin like a boundary but continue in another way, and with line ends in every place.
  static let contents = [
    "", "\r", "\n", "\r\n", "\r\n\r\n", "\rx", "\nx", "x\r", "x\n", "x\r\n", "\r\r\r\n\n",
    "--", "\r\n--", "\r\n--a", "\r\n-", "\r\n--B", "\r\n--bx", "\r\n--b-", "\r\n--b-x", "\r\n--b -",
    "\r\n--b --", "\r\n--b \t x", "\r\n--b\r", "\r\n--b\rx", "\r\n--b\r\r", "\r\n--b\r\r\n--bb",
    "\r\n--b\r\r\n--b \r\r\n--b\r\r", "\r\n--b\n", "\n--b\r\n", "\r--b\r\n", "\r\n --b\r\n",
    "\r\n\r\n--bb\r\n", "\r\r\n--bb", "\r\n\r--b", "--bx", "--b\r", "-", "\r\n-\r\n--\r\n--",
    "\r\n--b" + String(repeating: " ", count: 300) + "\r\n", "é\u{0}\u{1F415}",
  ]

  @Test("Content arrives unchanged", arguments: contents)
  func content(_ text: String) throws {
    let told = try read("--b\r\n\(Self.head)\(text)\r\n--b\t \r\n\(Self.head)\r\n--b--")
    #expect(
      told == MultipartTelling.field("f", text) + MultipartTelling.field("f", "") + [.end])
  }

  @Test("A part may have no content, and then no line end before the boundary")
  func emptyParts() throws {
    let told = try read("--b\r\n\(Self.head)--b\r\n\(Self.head)\r\n--b--")
    #expect(told == MultipartTelling.field("f", "") + MultipartTelling.field("f", "") + [.end])
  }

  @Test(
    "Text around the parts is skipped",
    arguments: ["hello\r\n", "\r\n", "--\r\n", "-\r\n--a\r\n", "--bb\r\n", "\r\n\r\n"])
  func preamble(_ text: String) throws {
    let told = try read("\(text)--b\r\n\(Self.head)x\r\n--b-- \r\nbye\r\n--b\r\n")
    #expect(told == MultipartTelling.field("f", "x") + [.end])
  }

  static let refused: [(String, MultipartError)] = [
    ("", .unfinished), ("--b", .unfinished), ("--b\r\n", .unfinished), ("--b-", .unfinished),
    ("--b\r\n\(head)", .unfinished), ("--b\r\n\(head)x", .unfinished),
    ("--b\r\n\(head)x\r\n--b", .unfinished), ("--b\r\n\(head)x\r\n--b-", .unfinished),
    ("--b\r\n\(head)x\r\n--b\r\n", .unfinished), ("--b\r\n\(head)x--b--", .unfinished),
    // Line ends that are LF alone.
    ("--b\n\(head)x\n--b--\n", .lineEnds), ("--b \n", .lineEnds),
    ("--b\r\n\(head)x\n--b--\n", .unfinished),
    ("--b\r\nContent-Disposition: form-data; name=\"f\"\n\nx\r\n--b--", .lineEnds),
    ("--b\r\n\nx\r\n--b--", .lineEnds),
    ("--b\r\n\r\nx\r\n--b--", .disposition), ("--b\r\nX: y\r\n\r\nx\r\n--b--", .disposition),
    ("--b\r\n--b--\r\n", .header),
    // The first error is reported, however much arrives at once.
    (String(repeating: "p", count: 1_025) + "\r\n--b\n", .preamble),
    ("\r\n--b\n" + String(repeating: "p", count: 1_025), .lineEnds),
  ]

  @Test("An incomplete or malformed body is refused", arguments: refused)
  func refuses(body: String, error: MultipartError) {
    let body = Array(body.utf8)
    #expect(throws: error) { try MultipartTelling.read(body) }
    #expect(throws: error) { try MultipartTelling.read(body, cut: Array(0...body.count)) }
  }

  @Test("Each limit accepts its own number and refuses one more")
  func limits() throws {
    let part = "--b\r\n\(Self.head)x\r\n"
    func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
    func accepts(_ body: String, not other: String, _ error: MultipartError) throws {
      _ = try read(body)
      #expect(throws: error) { try read(other) }
    }
    let end = "--b--"
    // The line end before a boundary belongs to the boundary.
    try accepts(
      "\(repeated("p", 1_024))\r\n\(part)\(end)", not: "\(repeated("p", 1_025))\r\n\(part)\(end)",
      .preamble)
    try accepts(repeated(part, 20) + end, not: repeated(part, 21) + end, .tooManyParts)
    let lines = { "--b\r\n\(repeated("X: y\r\n", $0))\(Self.head)x\r\n\(end)" }
    try accepts(lines(15), not: lines(16), .tooLongHeader)
    let header = {
      "--b\r\nX:\(repeated("y", $0 - Self.head.utf8.count - 4))\r\n\(Self.head)\r\n\(end)"
    }
    try accepts(header(8_192), not: header(8_193), .tooLongHeader)
    try accepts(
      "\(end)\(repeated("e", 65_536))", not: "\(end)\(repeated("e", 65_537))", .epilogue)
  }

  @Test("Endless input is refused at its limit, not at its end")
  func endless() throws {
    let bodies: [(String, MultipartError)] = [
      ("", .preamble), ("--b\r\n", .tooLongHeader), ("--b--", .epilogue),
    ]
    for (start, error) in bodies {
      var parser = try MultipartParser(contentType: "multipart/form-data; boundary=b")
      let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 100)
      #expect(throws: error) {
        try Array(start.utf8).withUnsafeBytes { try parser.feed($0) { _ in } }
        for _ in 0..<700 { try piece.withUnsafeBytes { try parser.feed($0) { _ in } } }
      }
      // The parser keeps throwing the same error.
      #expect(throws: error) { try piece.withUnsafeBytes { try parser.feed($0) { _ in } } }
      #expect(throws: error) { try parser.finish() }
    }
  }

  @Test("A body that is cut anywhere, twice, and into single bytes gives the same events")
  func cuts() throws {
    var bodies = Self.contents.map { "--b\r\n\(Self.head)\($0)\r\n--b--\r\nend" }
    bodies.append("pre\r\n--b \r\n\(Self.head)\r\n--b\r\n\(Self.head)--b--")
    for body in bodies.map({ Array($0.utf8) }) {
      let told = try MultipartTelling.read(body)
      #expect(try MultipartTelling.read(body, cut: Array(0...body.count)) == told)
      for cut in 0...body.count {
        try #require(try MultipartTelling.read(body, cut: [cut]) == told, "cut at \(cut)")
      }
      guard body.count < 100 else { continue }
      for first in 40..<body.count {
        for second in first..<min(body.count, first + 9) {
          try #require(try MultipartTelling.read(body, cut: [first, second]) == told)
        }
      }
    }
  }

  @Test("Mutated bodies never trap, and cuts change neither the events nor the error")
  func mutations() throws {
    var numbers = SeededGenerator(state: 39)
    let pieces = ["\r", "\n", "\r\n", "--", "b", "--b", "\r\n--b", "\"", "\\", ";", ":", " ", "\0"]
    let whole = Array(
      ("pre\r\n--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\\\"\"\r\n"
        + "Content-Type: image/png\r\n\r\n\r\n--bc\r\n--b \r\n\(Self.head)x\r\n--b--\r\n").utf8)
    var accepted = 0
    for _ in 0..<3_000 {
      let body = numbers.mutated(whole, with: pieces.map { Array($0.utf8) })
      let told = try outcome(body)
      let cut = Int.random(in: 0...body.count, using: &numbers)
      for cuts in [[cut], Array(0...body.count)] {
        let again = try outcome(body, cut: cuts)
        #expect(again == told, "\(String(decoding: body, as: UTF8.self).debugDescription)")
      }
      if case .success = told { accepted += 1 }
    }
    #expect(300...2_700 ~= accepted)
  }

  private func outcome(
    _ body: [UInt8], cut cuts: [Int] = []
  ) throws -> Result<[MultipartTelling], MultipartError> {
    do {
      return .success(try MultipartTelling.read(body, cut: cuts))
    } catch let error as MultipartError {
      return .failure(error)
    }
  }

  @Test("Any number of near-boundaries costs no additional events")
  func almost() throws {
    let boundary = "almost-the-boundary"
    let text = String(repeating: "\r\n--almost-the-boundar", count: 20_000)
    let body = Array("--\(boundary)\r\n\(Self.head)\(text)\r\n--\(boundary)--".utf8)
    var parser = try MultipartParser(contentType: "multipart/form-data; boundary=\(boundary)")
    var (events, count) = (0, 0)
    try body.withUnsafeBytes { body in
      for start in stride(from: 0, to: body.count, by: 4_099) {
        let slice = body[start..<min(body.count, start + 4_099)]
        try parser.feed(UnsafeRawBufferPointer(rebasing: slice)) { event in
          guard case .bytes(let bytes) = event else { return }
          (events, count) = (events + 1, count + bytes.count)
        }
      }
    }
    try parser.finish()
    #expect(count == text.utf8.count)
    #expect(events <= 2 * (body.count / 4_099 + 1))
  }

  @Test("An error that the caller throws passes through and ends the parsing")
  func callersError() throws {
    struct Stop: Error {}
    var parser = try MultipartParser(contentType: "multipart/form-data; boundary=b")
    let body = Array("--b\r\n\(Self.head)x\r\n--b--".utf8)
    #expect(throws: Stop.self) {
      try body.withUnsafeBytes { try parser.feed($0) { _ in throw Stop() } }
    }
    #expect(throws: MultipartError.unfinished) { try parser.finish() }
  }
}
