import Foundation
import Logging
import PhotoIngestion
import Synchronization
import Testing

@Suite("The log as logfmt")
struct LineLogHandlerTests {
  @Test(
    "A value is quoted if a reader could misparse it",
    arguments: [
      ("plain-1.5/x", "plain-1.5/x"), ("", #""""#), ("two words", #""two words""#),
      ("a=b", #""a=b""#), (#"say "x""#, #""say \"x\"""#), (#"C:\x"#, #""C:\\x""#),
      ("a\nlevel=error", #""a\nlevel=error""#), ("\u{1B}[31m", #""\u001b[31m""#),
      ("\u{202E}abc", #""\u202eabc""#), ("\u{E0001}", #""\udb40\udc01""#), ("Żuk", #""Żuk""#),
      ("x\"\u{301} y=1", "\"x\\\"\u{301} y=1\""), ("\r\t\u{85}", #""\r\t\u0085""#),
    ])
  func quoting(_ text: String, _ line: String) throws {
    #expect(Array(LineLogHandler.quoted(text).utf8) == Array(line.utf8))
    guard line.hasPrefix("\"") else { return }
    // A quoted value is a JSON string, so any reader can decode it.
    let read = try JSONDecoder().decode(String.self, from: Data(line.utf8))
    #expect(Array(read.utf8) == Array(text.utf8))
  }

  @Test("In JSON, an entry is an object of texts on one line")
  func json() throws {
    let lines = Mutex<[String]>([])
    let logger = Logger(label: "test") { label in
      LineLogHandler(label: label, level: .info, format: .json) { line in
        lines.withLock { $0.append(line) }
      }
    }
    logger.warning("say \"x\"\n\u{1B}", metadata: ["a": "\u{202E}1"])
    let line = try #require(lines.withLock { $0.first })
    #expect(
      lines.withLock { $0.count } == 1 && line.hasSuffix("}\n")
        && line.utf8.allSatisfy { $0 < 0x7F })
    let read = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    #expect(read["message"] == "say \"x\"\n\u{1B}" && read["a"] == "\u{202E}1")
    #expect(read["level"] == "warning" && read["logger"] == "test" && read["time"] != nil)
  }

  @Test("An entry is one line of time, level, logger, message and facts, in this order")
  func line() {
    let lines = Mutex<[String]>([])
    var logger = Logger(label: "test") { label in
      LineLogHandler(label: label, level: .info) { line in lines.withLock { $0.append(line) } }
    }
    logger[metadataKey: "id"] = "7"
    logger.debug("not written")
    logger.info("two words\n", metadata: ["b": "x y", "a": "1", "list": ["p", "q r"]])
    let line = lines.withLock { $0 }
    #expect(line.count == 1)
    #expect(line.first?.hasPrefix("time=2") == true)
    let rest = line.first?.drop { $0 != " " }
    let facts = #"a=1 b="x y" id=7 list="[\"p\", \"q r\"]""#
    let head = #" level=info logger=test message="two words\n" "#
    #expect(rest.map(String.init) == head + facts + "\n")
  }
}
