/// The secret names of uploads.
package enum UploadToken {
  /// A new one.
  package static func new() -> String { randomName() }

  /// Whether this is the form of one. No path is ever made of anything else.
  package static func isToken(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
