import Foundation

/// Makes keys of the bytes that a terminal sends (ECMA-48 sequences as xterm writes them, and its
/// bracketed paste).
struct KeyReader {
  /// Bytes that were read and are no key yet.
  private var bytes: [UInt8] = []
  private let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Whether something was typed already that is not taken yet.
  var hasMore: Bool { !bytes.isEmpty || isReadable(within: 0) }

  /// Throws away what was typed ahead, in our hands and in the terminal's.
  mutating func forget() {
    bytes = []
    tcflush(descriptor, TCIFLUSH)
  }

  /// The next key; waits for it.
  mutating func next() -> Key {
    while true {
      guard let first = peek() else { return .endOfInput }
      switch first {
      case 0x1B:
        if let key = escaped() { return key }
      case 0x0A, 0x0D: return take(1, as: .enter)
      case 0x09: return take(1, as: .tab)
      case 0x01: return take(1, as: .home)
      case 0x02: return take(1, as: .left)
      case 0x04: return take(1, as: .endOfInput)
      case 0x05: return take(1, as: .end)
      case 0x06: return take(1, as: .right)
      case 0x08, 0x7F: return take(1, as: .backspace)
      case 0x0B: return take(1, as: .killToEnd)
      case 0x0C: return take(1, as: .redraw)
      case 0x0E: return take(1, as: .down)
      case 0x10: return take(1, as: .up)
      case 0x15: return take(1, as: .killToStart)
      case 0x17: return take(1, as: .killWord)
      case 0x1A: return take(1, as: .suspend)
      case ..<0x20: bytes.removeFirst()
      default: return .text(run())
      }
    }
  }

  private mutating func take(_ count: Int, as key: Key) -> Key {
    bytes.removeFirst(count)
    return key
  }

  /// Everything up to the next control character; characters come whole.
  private mutating func run() -> String {
    var end = bytes.firstIndex { $0 < 0x20 || $0 == 0x7F } ?? bytes.count
    // A character whose last bytes are still under way, at most three.
    while end == bytes.count, lacksBytes, isReadable(within: 200), readMore() {
      end = bytes.firstIndex { $0 < 0x20 || $0 == 0x7F } ?? bytes.count
    }
    let text = RawArguments.encode(bytes[..<end])
    bytes.removeFirst(end)
    return text
  }

  private var lacksBytes: Bool {
    guard let start = bytes.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return false }
    let length = bytes[start] < 0xC0 ? 1 : bytes[start] < 0xE0 ? 2 : bytes[start] < 0xF0 ? 3 : 4
    return bytes.count - start < length
  }

  /// A sequence that begins with ESC; nil for one without a meaning here.
  private mutating func escaped() -> Key? {
    guard bytes.count > 1 || (isReadable(within: 50) && readMore()) else {
      bytes.removeFirst()
      return nil
    }
    switch bytes[1] {
    case 0x0A, 0x0D: return take(2, as: .newLine)
    case 0x7F, 0x08: return take(2, as: .killWord)
    case UInt8(ascii: "b"): return take(2, as: .wordLeft)
    case UInt8(ascii: "f"): return take(2, as: .wordRight)
    case UInt8(ascii: "["), UInt8(ascii: "O"): return sequence()
    default:
      bytes.removeFirst(2)
      return nil
    }
  }

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
    switch name {
    case "A": return .up
    case "B": return .down
    case "C": return .right
    case "D": return .left
    case "H", "1~", "7~": return .home
    case "F", "4~", "8~": return .end
    case "3~": return .delete
    case "1;5C", "1;3C": return .wordRight
    case "1;5D", "1;3D": return .wordLeft
    case "200~": return .pasted(paste())
    default: return nil
    }
  }

  /// Everything up to the end of the paste.
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

  private mutating func peek() -> UInt8? {
    if bytes.isEmpty, !readMore() { return nil }
    return bytes.first
  }

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

  private func isReadable(within milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }
}
