import Foundation
import Testing

@testable import PetSpotServer

@Suite("The photo in a JSON body")
struct PhotoSplitterTests {
  /// Splits a body that arrives in pieces of this size.
  private func split(
    _ body: String, pieces: Int = .max
  ) -> (rest: String, photo: String, isBase64: Bool) {
    var splitter = PhotoSplitter()
    var left = Array(body.utf8)[...]
    while !left.isEmpty {
      Array(left.prefix(pieces)).withUnsafeBytes { splitter.feed($0) }
      left = left.dropFirst(pieces)
    }
    let isBase64 = splitter.finish()
    return (
      String(decoding: splitter.rest, as: UTF8.self),
      String(decoding: splitter.photo, as: UTF8.self), isBase64
    )
  }

  @Test(
    "The photo is decoded, and the rest stays unchanged",
    arguments: [
      (#"{"photo":"SGVsbG8="}"#, #"{"photo":"A"}"#),
      (#" { "a" : "b" , "photo" : "SGVsbG8=" } "#, #" { "a" : "b" , "photo" : "A" } "#),
      (#"{"p\u0068oto":"SGVsbG8="}"#, #"{"p\u0068oto":"A"}"#),
      (#"{"photo":"SGVs\u0062G8\u003d"}"#, #"{"photo":"A"}"#),
      (#"{"a":{"photo":"x"},"photo":"SGVsbG8="}"#, #"{"a":{"photo":"x"},"photo":"A"}"#),
      (#"{"a":["photo","{"],"photo":"SGVsbG8="}"#, #"{"a":["photo","{"],"photo":"A"}"#),
    ])
  func isSplit(body: String, rest: String) {
    for pieces in [1, 2, 3, 7, .max] {
      #expect(split(body, pieces: pieces) == (rest, "Hello", true))
    }
  }

  @Test("The photo's slashes may be escaped")
  func slash() {
    let bytes = [UInt8](repeating: 0xFF, count: 3)
    let text = Data(bytes).base64EncodedString().replacing("/", with: #"\/"#)
    #expect(text.contains(#"\/"#))
    var splitter = PhotoSplitter()
    Array(#"{"photo":"\#(text)"}"#.utf8).withUnsafeBytes { splitter.feed($0) }
    #expect(splitter.finish() && splitter.photo == bytes)
  }

  @Test(
    "A photo that isn't base64 stays in the body, so that every error of the body is found",
    arguments: [
      (#"{"photo":"SGVs bG8="}"#, #"{"photo":"A A"}"#), (#"{"photo":" "}"#, #"{"photo":" "}"#),
      (#"{"photo":"SG\nVs"}"#, #"{"photo":"A\nA"}"#),
      (#"{"photo":"SG\u00"}"#, #"{"photo":"A\u00"}"#),
      (#"{"photo":"SG\x"}"#, #"{"photo":"A\x"}"#), (#"{"photo":"żź"}"#, #"{"photo":"żź"}"#),
    ])
  func surplus(body: String, rest: String) {
    for pieces in [1, 2, 5, .max] {
      let found = split(body, pieces: pieces)
      #expect(found.rest == rest && !found.isBase64)
    }
  }

  @Test(
    "Every other body stays unchanged",
    arguments: [
      #"{}"#, #"{"photo":1}"#, #"{"photo":["QUJD"]}"#, #"{"photo":{"photo":"QUJD"}}"#,
      #"["photo","QUJD"]"#, #"{"a":"photo","b":"QUJD"}"#, #"{"photos":"QUJD"}"#,
      #"{"a":"\"photo\":\"QUJD\""}"#, #"{"photo" 1 "QUJD"}"#, "", "null", #""photo":"QUJD""#,
    ])
  func other(body: String) {
    for pieces in [1, .max] {
      let found = split(body, pieces: pieces)
      #expect(found.rest == body && found.photo.isEmpty)
    }
  }

  @Test("A second photo is found by its key")
  func twice() {
    let rest = split(#"{"photo":"QUJD","photo":"QUJD"}"#).rest
    #expect(throws: StrictJSONError.self) { try StrictJSON.object(from: Array(rest.utf8)) }
  }

  @Test(
    "If a photo isn't base64, only its first characters and the rest of the body are kept",
    arguments: ["é ", "é", "a😀"])
  func hopeless(_ piece: String) throws {
    var splitter = PhotoSplitter()
    let body = #"{"photo":""# + String(repeating: piece, count: 4000) + #"","a":1}"#
    Array(body.utf8).withUnsafeBytes { splitter.feed($0) }
    #expect(splitter.hasTooMuchSurplus && splitter.rest.count < 3 * PhotoSplitter.maxSurplus)
    #expect(try StrictJSON.object(from: splitter.rest).members.map(\.key) == ["photo", "a"])
  }
}
