/// The readers of what clients send to the server.
extension FuzzTarget {
  /// The first line is the Content-Type, the rest is the body.
  static func multipart(_ bytes: [UInt8]) {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let body = Array(bytes.dropFirst(line.count + 1))
    let contentType = String(decoding: line, as: UTF8.self)
    guard let parser = try? MultipartParser(contentType: contentType) else { return }
    promise("what is read is multipart", MultipartParser.isMultipart(contentType))
    let told = Told(body, parser, slice: body.count + 1)
    for size in [1, 2, 3, 7] {
      promise("slices of \(size) tell the same", Told(body, parser, slice: size) == told)
    }
    promise("content comes from the body", told.contents.joined().count <= body.count)
    promise("names and contents belong together", told.names.count >= told.contents.count)

    var limits = MultipartParser.FormLimits()
    (limits.preambleBytes, limits.parts, limits.headers) = (8, 2, 2)
    (limits.headerBytes, limits.epilogueBytes) = (80, 8)
    guard let tight = try? MultipartParser(contentType: contentType, limits: limits) else {
      fatalError("broken promise: limits change nothing of the type")
    }
    let limited = Told(body, tight, slice: body.count + 1)
    promise("limits hold", limited.contents.count <= 2)
    promise("limits refuse and change nothing else", limited.error != nil || limited == told)
    guard told.error == nil else { return }
    // The plainest search there is, for the plainest of boundaries.
    guard contentType == "multipart/form-data; boundary=b" else { return }
    promise("what is whole has as many contents as names", told.names.count == told.contents.count)
    for content in told.contents {
      for end in ["\r\n--b\r\n", "\r\n--b--", "\r\n--b \r\n"].map({ Array($0.utf8) }) {
        promise(
          "no boundary is left in a content",
          !content.indices.contains { content[$0...].starts(with: end) })
      }
    }
  }

  /// What is taken can be written again, and is read as the same.
  static func json(_ bytes: [UInt8]) {
    let object: JSONObject
    do throws(StrictJSONError) {
      object = try StrictJSON.object(from: bytes)
    } catch {
      promise("a fault lies inside: \(error)", 0...bytes.count ~= error.offset)
      return
    }
    promise("what is taken is UTF-8", String(validating: bytes, as: UTF8.self) != nil)
    let again = Array(text(of: .object(object)).utf8)
    promise("what is written is read as the same", (try? StrictJSON.object(from: again)) == object)
    for end in [1, bytes.count / 2] where end < bytes.count {
      promise(
        "a beginning is no object",
        (try? StrictJSON.object(from: Array(bytes[..<end]))) == nil
          || bytes[end...].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) })
    }
    var reader = FieldReader(object)
    for member in object.members { _ = reader.string(member.key, required: false) }
    promise("what was asked for is known", !reader.finish().contains { $0.code == .invalidField })
  }

  private static func text(of value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .number(_, let text): text
    case .string(let text): quoted(text)
    case .array(let values): "[" + values.map(text(of:)).joined(separator: ",") + "]"
    case .object(let object):
      "{"
        + object.members.map { quoted($0.key) + ":" + text(of: $0.value) }
        .joined(separator: ",") + "}"
    }
  }

  /// With the shortest escapes, so that a key is never longer than it was and none is refused for that.
  private static func quoted(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map { scalar in
        switch scalar {
        case "\"", "\\": "\\" + String(scalar)
        case "\u{8}": "\\b"
        case "\u{C}": "\\f"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case _ where scalar.value < 0x20:
          "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        default: String(scalar)
        }
      }.joined() + "\""
  }
}

/// What a multipart parser tells of a body.
private struct Told: Equatable {
  var names: [String] = []
  var fileNames: [String?] = []
  var contents: [[UInt8]] = []
  var hasEnd = false
  var error: MultipartError?

  init(_ body: [UInt8], _ parser: MultipartParser, slice size: Int) {
    var parser = parser
    var content: [UInt8]?
    do {
      for start in stride(from: 0, to: body.count, by: size) {
        try Array(body[start..<min(body.count, start + size)]).withUnsafeBytes { slice in
          try parser.feed(slice) { event in
            promise("nothing is told behind the end", !hasEnd)
            switch event {
            case .part(let name, let fileName, _):
              promise("a part begins when none is open", content == nil)
              names.append(name)
              fileNames.append(fileName)
              content = []
            case .bytes(let bytes):
              promise("bytes belong to a part", content != nil && !bytes.isEmpty)
              content? += bytes
            case .endOfPart:
              promise("a part that ends has begun", content != nil)
              contents.append(content ?? [])
              content = nil
            case .end:
              promise("no part is open at the end", content == nil)
              hasEnd = true
            }
          }
        }
      }
      try parser.finish()
      promise("what is whole has its end", hasEnd)
    } catch {
      self.error = error as? MultipartError
      promise("errors are its own: \(error)", self.error != nil)
    }
  }
}
