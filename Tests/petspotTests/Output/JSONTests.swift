import Foundation
import Testing

@testable import petspot

@Suite struct JSONTests {
  @Test func keysKeepTheirOrder() {
    let value: JSON = ["z": 1, "a": JSON.array([.null, true.json, 0.5.json]), "m": "x"]
    #expect(value.line == #"{"z":1,"a":[null,true,0.5],"m":"x"}"#)
    #expect(value.adding(["b": false]).line == #"{"z":1,"a":[null,true,0.5],"m":"x","b":false}"#)
  }

  @Test func stringsComeBackAndSteerNoTerminal() throws {
    let all = String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init)))
    let line = JSON.string(all + "\u{2028}🐕\"\\").line
    let back = try JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed)
    #expect(back as? String == all + "\u{2028}🐕\"\\")
    #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
  }

  @Test func datesHaveMillisecondsAndZ() {
    #expect(
      Date(timeIntervalSince1970: 1_795_600_800).json.line == #""2026-11-25T10:00:00.000Z""#)
    #expect(
      Date(timeIntervalSince1970: 1_795_600_800.25).json.line
        == #""2026-11-25T10:00:00.250Z""#)
  }

  @Test func unknownMembersAreNullOrLeftOut() {
    let value: JSON = ["a": String?.none, "b": [Int?.some(1), nil]]
    #expect(value.line == #"{"a":null,"b":[1,null]}"#)
    #expect(value.addingKnown(["c": Int?.none, "d": 2]).line == #"{"a":null,"b":[1,null],"d":2}"#)
  }

  @Test func numbersThatAreNoneBecomeNull() {
    #expect(JSON.double(.nan).line == "null")
    #expect(JSON.double(.infinity).line == "null")
  }
}
