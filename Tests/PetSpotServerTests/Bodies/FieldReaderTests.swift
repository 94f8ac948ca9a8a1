import Testing

@testable import PetSpotServer

@Suite("Fields of a body")
struct FieldReaderTests {
  private func reader(_ text: String) throws -> FieldReader {
    FieldReader(try StrictJSON.object(from: Array(text.utf8)))
  }

  private func errors(_ reader: FieldReader) -> [String] {
    reader.finish().map { "\($0.code.rawValue) \($0.field)" }
  }

  @Test("Fields of the right type are read, absent ones are nil without an error")
  func good() throws {
    var reader = try reader(
      #"{"s":" Rex ","n":-1.5,"i":4,"j":4.0,"k":4e1,"z":-0,"nil":null,"blank":" \n\u00a0"}"#)
    #expect(reader.string("s", required: true) == " Rex ")
    #expect(reader.number("n", required: true) == -1.5)
    #expect(reader.number("i", required: false) == 4)
    #expect(["i", "j", "k", "z"].map { reader.integer($0, required: true) } == [4, 4, 40, 0])
    #expect(reader.string("nil", required: false) == nil)
    #expect(reader.integer("nil", required: false) == nil)
    #expect(reader.string("blank", required: false) == nil)
    #expect(reader.string("none", required: false) == nil)
    #expect(reader.number("none", required: false) == nil)
    #expect(reader.object("none", required: false) { _ in 1 } == nil)
    #expect(reader.finish().isEmpty)
  }

  @Test("In a change, a required field may be absent, but neither null nor blank")
  func partial() throws {
    let text = #"{"null":null,"blank":" ","place":{},"other":1}"#
    var reader = FieldReader(try StrictJSON.object(from: Array(text.utf8)), isPartial: true)
    for key in ["absent", "null", "blank"] { #expect(reader.string(key, required: true) == nil) }
    _ = reader.object("place", required: false) { $0.number("latitude", required: true) }
    #expect(
      errors(reader) == [
        "MISSING_VALUE null", "MISSING_VALUE blank", "MISSING_VALUE place.latitude",
        "INVALID_FIELD other",
      ])
  }

  @Test(
    "A required field that is absent, null or blank is missing",
    arguments: ["{}", #"{"a":null}"#, #"{"a":""}"#, #"{"a":" \t\u2003"}"#])
  func missing(_ text: String) throws {
    let expected = [
      FieldError(code: .missingValue, message: "\"a\" is required.", field: "a")
    ]
    var reader = try reader(text)
    #expect(reader.string("a", required: true) == nil)
    #expect(reader.finish() == expected)
    reader = try self.reader(text)
    #expect(reader.number("a", required: true) == nil)
    #expect(reader.finish() == expected)
    reader = try self.reader(text)
    #expect(reader.integer("a", required: true) == nil)
    #expect(reader.finish() == expected)
    reader = try self.reader(text)
    #expect(reader.object("a", required: true) { _ in 1 } == nil)
    #expect(reader.finish() == expected)
  }

  @Test("A value of another type is an error, required or not", arguments: [true, false])
  func otherTypes(required: Bool) throws {
    for value in ["true", "[]", "{}", "1"] {
      var reader = try reader("{\"a\":\(value)}")
      #expect(reader.string("a", required: required) == nil)
      #expect(
        reader.finish() == [
          FieldError(code: .invalidFormat, message: "\"a\" has to be a string.", field: "a")
        ])
    }
    for value in ["false", "[1]", "{}", "\"1\""] {
      var reader = try reader("{\"a\":\(value)}")
      #expect(reader.number("a", required: required) == nil)
      #expect(errors(reader) == ["INVALID_FORMAT a"])
    }
    for value in ["1.5", "\"1\"", "9007199254740992", "-9007199254740993", "1e300", "true"] {
      var reader = try reader("{\"a\":\(value)}")
      #expect(reader.integer("a", required: required) == nil)
      #expect(errors(reader) == ["INVALID_FORMAT a"])
    }
    for value in ["1", "[]", "\"{}\""] {
      var reader = try reader("{\"a\":\(value)}")
      #expect(reader.object("a", required: required) { _ in 1 } == nil)
      #expect(errors(reader) == ["INVALID_FORMAT a"])
    }
  }

  @Test("Errors are in the order in which fields are read, and unknown keys come last")
  func order() throws {
    var reader = try reader(
      #"{"y":1,"c":"x","location":{"zoom":1,"longitude":"21","deep":{"x":1}},"x":null,"a":5}"#)
    #expect(reader.string("b", required: true) == nil)
    let latitude = reader.object("location", required: true) { location in
      _ = location.number("longitude", required: true)
      _ = location.object("deep", required: true) { $0.string("w", required: true) }
      return location.number("latitude", required: true)
    }
    #expect(latitude == .some(nil))
    #expect(reader.string("a", required: false) == nil)
    #expect(reader.string("c", required: false) == "x")
    reader.refuse("c", "has to be a day")
    #expect(
      errors(reader) == [
        "MISSING_VALUE b", "INVALID_FORMAT location.longitude",
        "MISSING_VALUE location.deep.w", "MISSING_VALUE location.latitude", "INVALID_FORMAT a",
        "INVALID_FORMAT c", "INVALID_FIELD y", "INVALID_FIELD x", "INVALID_FIELD location.zoom",
        "INVALID_FIELD location.deep.x",
      ])
    let messages = reader.finish().map(\.message)
    #expect(messages[5] == "\"c\" has to be a day.")
    #expect(messages[8] == "\"location.zoom\" isn't a known field.")
  }
}
