import PhotoUploads

/// The parser behind `StrictJSON`, with its position in the text.
struct JSONReader {
  /// The whole text. It must stay valid as long as the reader.
  let bytes: UnsafeBufferPointer<UInt8>
  /// The index of the next byte.
  var index = 0
  private var valueCount = 0
  private var lastKey: String?

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The byte at `index`, or `nil` at the end.
  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Returns an error at `index` or at the given offset.
  func error(_ problem: String, at offset: Int? = nil) -> StrictJSONError {
    StrictJSONError(problem: problem, key: lastKey, offset: offset ?? index)
  }

  /// Reads the whole text, which must be a single object.
  mutating func document() throws(StrictJSONError) -> JSONObject {
    guard !bytes.isEmpty else { throw error("it's empty") }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw error("it begins with a byte order mark") }
    // UTF-16 and UTF-32 begin with a byte order mark, or with a NUL next to the bracket.
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
      || bytes.prefix(4).contains(0)
    {
      throw error("it isn't UTF-8")
    }
    skipSpace()
    guard next == UInt8(ascii: "{") else { throw error("it isn't an object") }
    let object = try object(depth: 1)
    skipSpace()
    guard next == nil else { throw error("there's something after the object") }
    return object
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      index += 1
    }
  }

  /// Skips the next byte if it is the given one. Returns `true` if it was.
  private mutating func consume(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    index += 1
    return true
  }

  private mutating func value(depth: Int) throws(StrictJSONError) -> JSONValue {
    valueCount += 1
    guard valueCount <= StrictJSON.maxValues else {
      throw error("it has more than \(StrictJSON.maxValues) values")
    }
    switch next {
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return try number()
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw error(nextIsMissing("a value"))
    }
  }

  private mutating func literal(
    _ text: String, _ value: JSONValue
  ) throws(StrictJSONError) -> JSONValue {
    guard bytes[index...].starts(with: text.utf8) else { throw error("a value is invalid") }
    index += text.utf8.count
    return value
  }

  /// Reads an object, starting at its opening bracket.
  private mutating func object(depth: Int) throws(StrictJSONError) -> JSONObject {
    try enter(depth)
    var object = JSONObject()
    var keys: Set<String> = []
    if consume("}") { return object }
    repeat {
      skipSpace()
      let start = index
      guard next != UInt8(ascii: "}") else {
        throw error("there's a comma before a closing bracket")
      }
      guard next == UInt8(ascii: "\"") else { throw error(nextIsMissing("a key")) }
      let key = try string(limit: StrictJSON.maxKeyBytes)
      lastKey = key
      guard keys.insert(key).inserted else {
        throw error("the key \"\(key)\" appears twice", at: start)
      }
      skipSpace()
      guard consume(":") else { throw error(nextIsMissing("a colon")) }
      skipSpace()
      object.members.append(JSONObject.Member(key: key, value: try value(depth: depth)))
      skipSpace()
    } while consume(",")
    guard consume("}") else { throw error(nextIsMissing("a comma or the end of an object")) }
    return object
  }

  /// Reads an array, starting at its opening bracket.
  private mutating func array(depth: Int) throws(StrictJSONError) -> [JSONValue] {
    try enter(depth)
    var values: [JSONValue] = []
    if consume("]") { return values }
    repeat {
      skipSpace()
      guard next != UInt8(ascii: "]") else {
        throw error("there's a comma before a closing bracket")
      }
      values.append(try value(depth: depth))
      skipSpace()
    } while consume(",")
    guard consume("]") else { throw error(nextIsMissing("a comma or the end of an array")) }
    return values
  }

  private mutating func enter(_ depth: Int) throws(StrictJSONError) {
    guard depth <= StrictJSON.maxDepth else {
      throw error("it's nested more than \(StrictJSON.maxDepth) levels deep")
    }
    index += 1
    skipSpace()
  }

  private func nextIsMissing(_ what: String) -> String {
    next == nil ? "it ends too early" : "\(what) is missing"
  }

  private mutating func number() throws(StrictJSONError) -> JSONValue {
    let start = index
    _ = consume("-")
    if !consume("0") { try digits() }
    if consume(".") { try digits() }
    if consume("e") || consume("E") {
      if !consume("+") { _ = consume("-") }
      try digits()
    }
    guard index - start <= StrictJSON.maxNumberBytes else {
      throw error("a number is too long", at: start)
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    guard let number = Double(text), number.isFinite else {
      throw error("a number is too large", at: start)
    }
    return .number(number, text: text)
  }

  private mutating func digits() throws(StrictJSONError) {
    let start = index
    while next?.isDigit == true { index += 1 }
    guard index > start else { throw error("a number is invalid") }
  }
}
