/// The ID of a request: 16 letters and digits.
enum RequestID {
  static func make() -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    return String(decoding: (0..<16).map { _ in alphabet.randomElement() ?? 0x61 }, as: UTF8.self)
  }
}
