/// A QR code of a text (ISO/IEC 18004) in bytes, with error correction of level M. Versions up to 10 are supported, so
/// the text may have 213 bytes.
struct QRCode {
  /// Modules per side, without the quiet zone.
  private(set) var size: Int
  /// The modules in rows. `true` is dark.
  private(set) var dark: [Bool]
  /// `true` for modules that carry no data.
  private var isFixed: [Bool]
  private var version: Int

  /// For each version at level M: error correction codewords per block, blocks, and data codewords.
  private static let versions: [(correction: Int, blocks: Int, data: Int)] = [
    (10, 1, 16), (16, 1, 28), (26, 1, 44), (18, 2, 64), (24, 2, 86), (16, 4, 108), (18, 4, 124),
    (22, 4, 154), (22, 5, 182), (26, 5, 216),
  ]

  /// Creates the code. Fails if the text is too long.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard
      let version = (1...10).first(where: {
        Self.versions[$0 - 1].data * 8 >= 4 + ($0 < 10 ? 8 : 16) + bytes.count * 8
      })
    else { return nil }
    (self.version, size) = (version, 17 + 4 * version)
    dark = Array(repeating: false, count: size * size)
    isFixed = dark
    drawFixed()
    place(Self.codewords(bytes, version))
    let plain = self
    var best = Int.max
    for mask in 0..<8 {
      var masked = plain
      masked.apply(mask)
      if masked.penalty < best { (best, self) = (masked.penalty, masked) }
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

  // MARK: - Codewords

  private static func codewords(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
    let (correction, blocks, count) = versions[version - 1]
    var bits: [Bool] = []
    func append(_ value: Int, _ length: Int) {
      for bit in (0..<length).reversed() { bits.append(value >> bit & 1 == 1) }
    }
    append(0b0100, 4)
    append(bytes.count, version < 10 ? 8 : 16)
    for byte in bytes { append(Int(byte), 8) }
    append(0, min(4, count * 8 - bits.count))
    append(0, (8 - bits.count % 8) % 8)
    var data = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    var padding: UInt8 = 0xEC
    while data.count < count {
      data.append(padding)
      padding ^= 0xEC ^ 0x11
    }
    let generator = generator(correction)
    var (parts, remainders, start) = ([[UInt8]](), [[UInt8]](), 0)
    for block in 0..<blocks {
      // The longer blocks come last.
      let length = count / blocks + (block >= blocks - count % blocks ? 1 : 0)
      let part = Array(data[start..<start + length])
      start += length
      parts.append(part)
      remainders.append(remainder(part, generator))
    }
    return interleaved(parts) + interleaved(remainders)
  }

  private static func interleaved(_ parts: [[UInt8]]) -> [UInt8] {
    (0..<(parts.last?.count ?? 0)).flatMap { index in
      parts.compactMap { index < $0.count ? $0[index] : nil }
    }
  }

  /// Returns the product of two elements of GF(256) modulo x⁸ + x⁴ + x³ + x² + 1.
  private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var product = 0
    for bit in (0..<8).reversed() {
      product = product << 1 ^ (product >> 7 * 0x11D)
      if right >> bit & 1 == 1 { product ^= Int(left) }
    }
    return UInt8(product)
  }

  /// Returns the generator polynomial of the Reed–Solomon code, without its leading 1.
  private static func generator(_ degree: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: degree - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<degree {
      for index in result.indices {
        result[index] = multiply(result[index], root) ^ (index + 1 < degree ? result[index + 1] : 0)
      }
      root = multiply(root, 2)
    }
    return result
  }

  private static func remainder(_ data: [UInt8], _ generator: [UInt8]) -> [UInt8] {
    var rest = [UInt8](repeating: 0, count: generator.count)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for index in rest.indices { rest[index] ^= multiply(generator[index], factor) }
    }
    return rest
  }

  // MARK: - Modules

  private mutating func fix(_ x: Int, _ y: Int, _ isDark: Bool) {
    guard (0..<size).contains(x), (0..<size).contains(y) else { return }
    (dark[y * size + x], isFixed[y * size + x]) = (isDark, true)
  }

  private mutating func drawFixed() {
    for index in 0..<size {
      fix(index, 6, index % 2 == 0)
      fix(6, index, index % 2 == 0)
    }
    for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
      for down in -4...4 {
        for across in -4...4 {
          let ring = max(abs(across), abs(down))
          fix(x + across, y + down, ring != 2 && ring != 4)
        }
      }
    }
    let last = size - 7
    let places = version == 1 ? [] : version < 7 ? [6, last] : [6, (6 + last) / 2, last]
    for x in places {
      for y in places where !(x == 6 && y == 6 || x == 6 && y == last || x == last && y == 6) {
        for down in -2...2 {
          for across in -2...2 { fix(x + across, y + down, max(abs(across), abs(down)) != 1) }
        }
      }
    }
    drawFormat(0)
    guard version >= 7 else { return }
    let bits = version << 12 | Self.checked(version, by: 0x1F25, 12)
    for bit in 0..<18 {
      let (isDark, close, far) = (bits >> bit & 1 == 1, bit / 3, size - 11 + bit % 3)
      fix(far, close, isDark)
      fix(close, far, isDark)
    }
  }

  /// Appends `zeros` zero bits to a number, and returns the remainder of its division by a polynomial over GF(2).
  private static func checked(_ number: Int, by polynomial: Int, _ zeros: Int) -> Int {
    var rest = number
    for _ in 0..<zeros { rest = rest << 1 ^ (rest >> (zeros - 1) * polynomial) }
    return rest
  }

  private mutating func drawFormat(_ mask: Int) {
    // The bits of level M are 00.
    let bits = (mask << 10 | Self.checked(mask, by: 0x537, 10)) ^ 0x5412
    func isDark(_ bit: Int) -> Bool { bits >> bit & 1 == 1 }
    for bit in 0...5 { fix(8, bit, isDark(bit)) }
    fix(8, 7, isDark(6))
    fix(8, 8, isDark(7))
    fix(7, 8, isDark(8))
    for bit in 9..<15 { fix(14 - bit, 8, isDark(bit)) }
    for bit in 0..<8 { fix(size - 1 - bit, 8, isDark(bit)) }
    for bit in 8..<15 { fix(8, size - 15 + bit, isDark(bit)) }
    fix(8, size - 8, true)
  }

  /// Fills the free modules in columns of two, from right to left, alternately upward and downward.
  private mutating func place(_ codewords: [UInt8]) {
    var bit = 0
    for column in stride(from: size - 1, to: 0, by: -2) {
      let right = column <= 6 ? column - 1 : column
      let isUp = (right + 1) & 2 == 0
      for step in 0..<size {
        let y = isUp ? size - 1 - step : step
        for x in [right, right - 1] where !isFixed[y * size + x] && bit < codewords.count * 8 {
          dark[y * size + x] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
          bit += 1
        }
      }
    }
  }

  private mutating func apply(_ mask: Int) {
    drawFormat(mask)
    for y in 0..<size {
      for x in 0..<size where !isFixed[y * size + x] {
        let isInverted =
          switch mask {
          case 0: (x + y) % 2 == 0
          case 1: y % 2 == 0
          case 2: x % 3 == 0
          case 3: (x + y) % 3 == 0
          case 4: (x / 3 + y / 2) % 2 == 0
          case 5: x * y % 2 + x * y % 3 == 0
          case 6: (x * y % 2 + x * y % 3) % 2 == 0
          default: ((x + y) % 2 + x * y % 3) % 2 == 0
          }
        if isInverted { dark[y * size + x].toggle() }
      }
    }
  }

  /// The penalty for runs, blocks and too much of one color, which are hard to scan. The mask with the lowest penalty
  /// is used. The standard's penalty for patterns that look like finder patterns isn't included.
  private var penalty: Int {
    var penalty = 0
    for isColumn in [false, true] {
      for line in 0..<size {
        var run = 0
        for index in 0..<size {
          let now = isColumn ? self[line, index] : self[index, line]
          let isSame =
            index > 0 && now == (isColumn ? self[line, index - 1] : self[index - 1, line])
          run = isSame ? run + 1 : 1
          if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
        }
      }
    }
    for y in 1..<size {
      for x in 1..<size
      where self[x, y] == self[x - 1, y] && self[x, y] == self[x, y - 1]
        && self[x, y] == self[x - 1, y - 1]
      { penalty += 3 }
    }
    let share = dark.count { $0 } * 100 / dark.count
    return penalty + abs(share - 50) / 5 * 10
  }
}
