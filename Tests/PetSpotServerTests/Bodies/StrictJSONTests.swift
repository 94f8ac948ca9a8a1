import Foundation
import TestPictures
import Testing

@testable import PetSpotServer

@Suite("Strict JSON")
struct StrictJSONTests {
  private func error(_ bytes: [UInt8]) -> StrictJSONError? {
    do throws(StrictJSONError) {
      _ = try StrictJSON.object(from: bytes)
      return nil
    } catch {
      return error
    }
  }

  private func value(_ text: String) throws -> JSONValue {
    try #require(try StrictJSON.object(from: Array("{\"a\":\(text)}".utf8))["a"])
  }

  static let values: [(String, JSONValue)] = [
    ("null", .null), ("true", .bool(true)), (" \t\r\nfalse\n", .bool(false)),
    ("0", .number(0, text: "0")), ("-0", .number(0, text: "-0")),
    ("-12.50e+3", .number(-12_500, text: "-12.50e+3")), ("1E-2", .number(0.01, text: "1E-2")),
    ("1e308", .number(1e308, text: "1e308")), ("1e-999", .number(0, text: "1e-999")),
    ("9007199254740993", .number(9_007_199_254_740_992, text: "9007199254740993")),
    (#""""#, .string("")), (#""Rex 🐕 żółw""#, .string("Rex 🐕 żółw")),
    (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
    (#""x\u00e9\u00E9y\u0001""#, .string("xééy\u{1}")), (#""\ud83D\uDC15!""#, .string("🐕!")),
    (#""\uffff\ufffe""#, .string("\u{FFFF}\u{FFFE}")),
    ("\"\u{7F}\u{2028}\"", .string("\u{7F}\u{2028}")),
    (#""\\u0000""#, .string(#"\u0000"#)),
    ("[]", .array([])), ("[ ]", .array([])),
    (
      "[1 , [ null ]]",
      .array([.number(1, text: "1"), .array([.null])])
    ),
    ("{}", .object(JSONObject())),
    (
      #"{ "b" : {"a":"" } }"#,
      .object(
        JSONObject(members: [
          .init(
            key: "b", value: .object(JSONObject(members: [.init(key: "a", value: .string(""))])))
        ]))
    ),
  ]

  @Test("Values are parsed", arguments: values)
  func reads(text: String, expected: JSONValue) throws { #expect(try value(text) == expected) }

  @Test("Members keep their order, and keys are decoded")
  func members() throws {
    let object = try StrictJSON.object(from: Array(#" {"z":1,"a":2,"\u0062":3} "#.utf8))
    #expect(object.members.map(\.key) == ["z", "a", "b"])
    #expect(object["b"] == .number(3, text: "3") && object["c"] == nil)
  }

  static let refused: [(String, String)] = [
    ("", "it's empty"), (" ", "it isn't an object"), ("[]", "it isn't an object"),
    ("null", "it isn't an object"), ("\"a\"", "it isn't an object"), ("5", "it isn't an object"),
    ("\u{FEFF}{}", "it begins with a byte order mark"), ("// x\n{}", "it isn't an object"),
    ("{", "it ends too early"), ("{\"a\"", "it ends too early"), ("{\"a\":", "it ends too early"),
    ("{\"a\":1", "it ends too early"), ("{\"a", "it ends too early"),
    ("{\"a\":[", "it ends too early"),
    ("{\"a\":\"\\", "an escape sequence is invalid"),
    ("{\"a\":\"\\u00", "an escape sequence is invalid"),
    ("{}{}", "there's something after the object"), ("{} x", "there's something after the object"),
    ("{}\0", "it isn't UTF-8"), ("{\"abc\":1}\0", "there's something after the object"),
    ("{,}", "a key is missing"), ("{\"a\":1,}", "there's a comma before a closing bracket"),
    ("{a:1}", "a key is missing"),
    ("{'a':1}", "a key is missing"), ("{1:1}", "a key is missing"), ("{/**/}", "a key is missing"),
    ("{\"a\" 1}", "a colon is missing"),
    ("{\"a\":1 \"b\":2}", "a comma or the end of an object is missing"),
    ("{\"a\":1]", "a comma or the end of an object is missing"),
    ("{\u{A0}}", "a key is missing"), ("{\"a\":1}\u{B}", "there's something after the object"),
    (#"{"a":1,"b":2,"a":3}"#, #"the key "a" appears twice"#),
    (#"{"a":1,"\u0061":3}"#, #"the key "a" appears twice"#),
    (#"{"x":{"b":1,"b":1}}"#, #"the key "b" appears twice"#),
    ("{\"\u{E9}\":1,\"e\u{301}\":3}", "the key \"e\u{301}\" appears twice"),
  ]

  @Test("Anything but a plain object is refused with its error", arguments: refused)
  func refuses(text: String, what: String) { #expect(error(Array(text.utf8))?.problem == what) }

  static let refusedValues: [(String, String)] = [
    ("", "a value is missing"), ("[1,]", "there's a comma before a closing bracket"),
    ("[,1]", "a value is missing"),
    ("[1 2]", "a comma or the end of an array is missing"),
    ("[1}", "a comma or the end of an array is missing"),
    ("NaN", "a value is missing"), ("Infinity", "a value is missing"),
    ("-Infinity", "a number is invalid"), ("nan", "a value is invalid"),
    ("True", "a value is missing"),
    ("tru", "a value is invalid"), ("nulll", "a comma or the end of an object is missing"),
    ("+1", "a value is missing"), ("01", "a comma or the end of an object is missing"),
    ("-", "a number is invalid"), ("1.", "a number is invalid"), (".5", "a value is missing"),
    ("1e", "a number is invalid"), ("1e+", "a number is invalid"), ("--1", "a number is invalid"),
    ("0x10", "a comma or the end of an object is missing"), ("٣", "a value is missing"),
    ("1e999", "a number is too large"), ("-1e309", "a number is too large"),
    (String(repeating: "1", count: 129), "a number is too long"),
    ("\"\\ud800\"", "a string contains an unpaired surrogate"),
    ("\"\\udc00\"", "a string contains an unpaired surrogate"),
    ("\"\\ud800\\ud800\"", "a string contains an unpaired surrogate"),
    ("\"\\ud800x\"", "a string contains an unpaired surrogate"),
    ("\"\\ud800\\n\"", "a string contains an unpaired surrogate"),
    ("\"\\ud800\\u0041\"", "a string contains an unpaired surrogate"),
    ("\"\\u0000\"", "a string contains NUL"), ("\"\\u00\"", "an escape sequence is invalid"),
    ("\"\\u00g0\"", "an escape sequence is invalid"),
    ("\"\\x41\"", "an escape sequence is invalid"),
    ("\"\\'\"", "an escape sequence is invalid"), ("\"\\U0041\"", "an escape sequence is invalid"),
    ("\"\n\"", "a string contains a control character"),
    ("\"\0\"", "a string contains a control character"),
    ("\"\\n\u{1F}\"", "a string contains a control character"),
    ("1 // x", "a comma or the end of an object is missing"),
    ("'a'", "a value is missing"),
  ]

  @Test("An invalid value is refused with its error", arguments: refusedValues)
  func refusesValue(text: String, what: String) {
    #expect(error(Array("{\"a\":\(text)}".utf8))?.problem == what)
  }

  /// The arguments are overlong forms, surrogates, values above U+10FFFF, and cut sequences.
  @Test(
    "Invalid UTF-8 is refused, alone and beside escapes",
    arguments: [
      [0xFF], [0x80], [0xC3], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF],
      [0xF0, 0x80, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xF0, 0x9F, 0x90], [0xC0, 0x80],
    ] as [[UInt8]])
  func notUTF8(_ bytes: [UInt8]) {
    for (before, after) in [("", ""), ("\\n", ""), ("", "\\u00e9"), ("\\u00c3", "\\n")] {
      let text = Array("{\"a\":\"\(before)".utf8) + bytes + Array("\(after)\"}".utf8)
      #expect(error(text)?.problem == "it isn't UTF-8")
    }
    #expect(error(Array("{\"".utf8) + bytes + Array("\":1}".utf8))?.problem == "it isn't UTF-8")
    #expect(error(Array("{\"a\":".utf8) + bytes + [UInt8(ascii: "}")]) != nil)
  }

  @Test("UTF-16 and UTF-32 are refused")
  func otherEncodings() throws {
    for encoding in [
      String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian,
      .utf32LittleEndian,
    ] {
      let bytes = try #require("{\"a\":1}".data(using: encoding))
      #expect(error(Array(bytes))?.problem == "it isn't UTF-8")
    }
  }

  @Test("An error has its position and the key before it")
  func places() {
    let expected: [(String, String?, Int)] = [
      (#"{"a":1,"b":tru}"#, "b", 11), (#"{"a":1,"a":2}"#, "a", 7), (#"{"a":1,}"#, "a", 7),
      ("{x", nil, 1), (#"{"a":"12\ud800"}"#, "a", 8),
    ]
    for (text, key, offset) in expected {
      let error = error(Array(text.utf8))
      #expect(error?.key == key && error?.offset == offset)
    }
  }

  @Test("Each limit accepts its own number and refuses one more")
  func limits() throws {
    func nested(_ depth: Int, _ start: String, _ end: String) -> String {
      String(repeating: start, count: depth) + "1" + String(repeating: end, count: depth)
    }
    // The outer object counts as a level.
    #expect(throws: Never.self) { try value(nested(31, "[", "]")) }
    #expect(throws: Never.self) { try value(nested(31, "{\"a\":", "}")) }
    for text in [nested(32, "[", "]"), nested(32, "{\"a\":", "}"), nested(16, "[{\"a\":", "}]")] {
      #expect(
        error(Array("{\"a\":\(text)}".utf8))?.problem == "it's nested more than 32 levels deep")
    }
    // The array counts as a value.
    #expect(throws: Never.self) { try value("[0" + String(repeating: ",0", count: 998) + "]") }
    let many = "{\"a\":[0" + String(repeating: ",0", count: 999) + "]}"
    #expect(error(Array(many.utf8))?.problem == "it has more than 1000 values")
    let key = String(repeating: "k", count: 256)
    #expect(error(Array("{\"\(key)\":1}".utf8)) == nil)
    #expect(error(Array("{\"\(key)k\":1}".utf8))?.problem == "a key is too long")
    #expect(throws: Never.self) { try value(String(repeating: "1", count: 128)) }
  }

  @Test("A megabyte of brackets is refused at once")
  func brackets() {
    let brackets = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
    #expect(error(brackets)?.offset == 0)
    #expect(error(Array("{\"a\":".utf8) + brackets)?.offset == 5 + 31)
    let objects = Array(String(repeating: "{\"a\":", count: 200_000).utf8)
    #expect(error(objects)?.problem == "it's nested more than 32 levels deep")
  }

  @Test("A large string is parsed completely")
  func large() throws {
    let text = String(repeating: "iVBORw0KGgo/+", count: 100_000)
    #expect(try value("\"\(text)\"") == .string(text))
    #expect(try value("\"\(text)\\/\(text)\"") == .string(text + "/" + text))
  }

  @Test("Mutated texts never trap, and Foundation parses accepted ones in the same way")
  func mutations() throws {
    var numbers = SeededGenerator(state: 36)
    let pieces = [
      "\"", "\\", "\\u", "\\ud83d", "{", "}", "[", "]", ",", ":", "1", "-", "e9", "0", ".", "null",
      " ", "é", "\"a\":",
    ]
    let whole = Array(
      #"{"petName":"R\u00e9x 🐕","age":4.50e0,"x":[true,null,-1],"o":{"a":"","b":"\ud83d\udc15"}}"#
        .utf8)
    // The reasons for which only this parser refuses a text.
    let ours = [
      "appears twice", "NUL", "too l", "deeper", "values", "byte order", "surrogate",
      "there's a comma",
    ]
    var accepted = 0
    for _ in 0..<3_000 {
      let text = numbers.mutated(whole, with: pieces.map { Array($0.utf8) })
      let foundation = try? JSONSerialization.jsonObject(with: Data(text))
      if let fault = error(text) {
        #expect(
          foundation == nil || ours.contains { fault.problem.contains($0) },
          "\(fault) \(String(decoding: text, as: UTF8.self))")
      } else {
        accepted += 1
        let object = JSONValue.object(try StrictJSON.object(from: text))
        let isSame = foundation as? NSDictionary == Self.foundation(object) as? NSDictionary
        #expect(isSame && foundation != nil, "\(String(decoding: text, as: UTF8.self))")
      }
    }
    #expect(150...2_800 ~= accepted)
  }

  /// Returns the value as JSONSerialization would.
  private static func foundation(_ value: JSONValue) -> Any {
    switch value {
    case .null: NSNull()
    case .bool(let flag): NSNumber(value: flag)
    case .number(let number, _): NSNumber(value: number)
    case .string(let text): text
    case .array(let values): values.map(foundation)
    case .object(let object):
      Dictionary(uniqueKeysWithValues: object.members.map { ($0.key, foundation($0.value)) })
    }
  }
}
