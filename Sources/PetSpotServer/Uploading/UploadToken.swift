/// The secret names of uploads.
enum UploadToken {
  /// A new one: 128 random bits as 32 lower-case hexadecimal digits.
  static func new() -> String {
    var random = SystemRandomNumberGenerator()
    return [random.next(), random.next()].map { (half: UInt64) in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Whether this is the form of one. No path is ever made of anything else.
  static func isToken(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
