import Foundation

/// Converts the bytes that a terminal sends into keys. Supports ECMA-48 sequences as xterm sends them, and its
/// bracketed paste.
struct KeyReader {
  /// Bytes that were read but not yet converted into keys.
  private var bytes: [UInt8] = []
  private let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// `true` if more input is available without waiting.
  var hasMore: Bool { !bytes.isEmpty || isReadable(within: 0) }

  /// Discards input that was typed ahead, both in `bytes` and in the terminal's queue.
  mutating func forget() {
    bytes = []
    tcflush(descriptor, TCIFLUSH)
  }

  /// Waits for the next key and returns it.
  mutating func next() -> Key {
    while true {
      guard let first = peek() else { return .endOfInput }
      if first == 0x1B {
        if let key = escaped() { return key }
      } else if first >= 0x20, first != 0x7F {
        return .text(readText())
      } else {
        bytes.removeFirst()
        if let key = Self.controls[first] { return key }
      }
    }
  }

  private static let controls: [UInt8: Key] = [
    0x01: .home, 0x02: .left, 0x04: .endOfInput, 0x05: .end, 0x06: .right, 0x08: .backspace,
    0x09: .tab, 0x0A: .enter, 0x0B: .killToEnd, 0x0C: .redraw, 0x0D: .enter, 0x0E: .down,
    0x10: .up, 0x15: .killToStart, 0x17: .killWord, 0x1A: .suspend, 0x7F: .backspace,
  ]

  /// Returns the text up to the next control character, without splitting a multibyte character.
  private mutating func readText() -> String {
    var end = bytes.firstIndex { $0 < 0x20 || $0 == 0x7F } ?? bytes.count
    // Wait for the remaining bytes of the last character, at most three.
    while end == bytes.count, lacksBytes, isReadable(within: 200), readMore() {
      end = bytes.firstIndex { $0 < 0x20 || $0 == 0x7F } ?? bytes.count
    }
    let text = RawArguments.encode(bytes[..<end])
    bytes.removeFirst(end)
    return text
  }

  /// `true` if the buffered text ends within a multibyte UTF-8 character.
  private var lacksBytes: Bool {
    guard let start = bytes.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return false }
    let length = bytes[start] < 0xC0 ? 1 : bytes[start] < 0xE0 ? 2 : bytes[start] < 0xF0 ? 3 : 4
    return bytes.count - start < length
  }

  /// Reads a sequence that begins with ESC. Returns `nil` if it has no meaning here.
  private mutating func escaped() -> Key? {
    guard bytes.count > 1 || (isReadable(within: 50) && readMore()) else {
      bytes.removeFirst()
      return nil
    }
    if [UInt8(ascii: "["), UInt8(ascii: "O")].contains(bytes[1]) { return sequence() }
    defer { bytes.removeFirst(2) }
    return Self.escapes[bytes[1]]
  }

  private static let escapes: [UInt8: Key] = [
    0x08: .killWord, 0x0A: .newLine, 0x0D: .newLine, 0x7F: .killWord,
    UInt8(ascii: "b"): .wordLeft, UInt8(ascii: "f"): .wordRight,
  ]

  /// Reads a control sequence (CSI or SS3) up to its final byte. Returns `nil` if it is unknown or incomplete.
  private mutating func sequence() -> Key? {
    var end = 2
    while true {
      if end == bytes.count, !(isReadable(within: 50) && readMore()) {
        bytes.removeAll()
        return nil
      }
      if (0x40...0x7E).contains(bytes[end]) { break }
      end += 1
    }
    let name = String(decoding: bytes[2...end], as: UTF8.self)
    bytes.removeFirst(end + 1)
    return name == "200~" ? .pasted(paste()) : Self.sequences[name]
  }

  private static let sequences: [String: Key] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "1~": .home, "7~": .home,
    "F": .end, "4~": .end, "8~": .end, "3~": .delete, "1;5C": .wordRight, "1;3C": .wordRight,
    "1;5D": .wordLeft, "1;3D": .wordLeft,
  ]

  /// Returns the text up to the end of the paste.
  private mutating func paste() -> String {
    let end = Array("\u{1B}[201~".utf8)
    var searched = 0
    while true {
      if let found = bytes[searched...].firstRange(of: end) {
        let text = RawArguments.encode(bytes[..<found.lowerBound])
        bytes.removeFirst(found.upperBound)
        return text
      }
      searched = max(0, bytes.count - end.count)
      guard readMore() else { break }
    }
    defer { bytes = [] }
    return RawArguments.encode(bytes)
  }

  /// Returns the next byte without removing it. Waits if none was read yet, and returns `nil` at the end of input.
  private mutating func peek() -> UInt8? {
    if bytes.isEmpty, !readMore() { return nil }
    return bytes.first
  }

  /// Waits for more input and appends it to `bytes`. Returns `false` at the end of input.
  private mutating func readMore() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes += buffer.prefix(count)
      return true
    }
  }

  /// Returns `true` if input arrives within the given time.
  private func isReadable(within milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }
}
