import CQRCode

/// A QR code of a text (ISO/IEC 18004) in bytes, with error correction of level M.
struct QRCode {
  /// Modules per side, without the quiet zone.
  let size: Int
  private let dark: [Bool]

  /// Creates the code. Fails if the text is empty or has more than 213 bytes. Version 10 has that many, and larger codes
  /// are hard to scan from paper.
  init?(_ text: String) {
    guard 1...213 ~= text.utf8.count,
      let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
    else { return nil }
    defer { unsafe QRcode_free(code) }
    let size = unsafe Int(code.pointee.width)
    self.size = size
    // Only the lowest bit of a byte is the color. The other bits are the purpose of the module.
    dark = unsafe UnsafeBufferPointer(start: code.pointee.data, count: size * size).map {
      $0 & 1 == 1
    }
  }

  /// The dark modules as an SVG path, with a quiet zone of four modules.
  var path: String {
    var path = ""
    for y in 0..<size {
      var x = 0
      while x < size {
        guard self[x, y] else {
          x += 1
          continue
        }
        let begin = x
        while x < size, self[x, y] { x += 1 }
        path += "M\(begin + 4) \(y + 4)h\(x - begin)v1h-\(x - begin)z"
      }
    }
    return path
  }

  /// Modules per side, with the quiet zone.
  var width: Int { size + 8 }

  subscript(x: Int, y: Int) -> Bool { dark[y * size + x] }
}
