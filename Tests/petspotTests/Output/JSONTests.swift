import Foundation
import Testing

@testable import petspot

@Suite struct JSONTests {
  @Test func keysKeepTheirOrder() {
    let value: JSON = ["z": .int(1), "a": .array([.null, true, .double(0.5)]), "m": "x"]
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
      JSON.date(Date(timeIntervalSince1970: 1_795_600_800)).line == #""2026-11-25T10:00:00.000Z""#)
    #expect(
      JSON.date(Date(timeIntervalSince1970: 1_795_600_800.25)).line
        == #""2026-11-25T10:00:00.250Z""#)
  }

  @Test func numbersThatAreNoneBecomeNull() {
    #expect(JSON.double(.nan).line == "null")
    #expect(JSON.double(.infinity).line == "null")
  }
}
