import Foundation
import TestPictures

/// Returns a PNG of random colors that can't be compressed: 3 bytes per pixel, in stored blocks (RFC 1950 and 1951).
func noisePNG(width: Int, height: Int, seed: UInt64) -> Data {
  var generator = SeededGenerator(state: seed)
  var rows = [UInt8]()
  rows.reserveCapacity(height * (width * 3 + 1))
  for _ in 0..<height {
    rows.append(0)  // no filter
    for _ in 0..<width {
      let color = generator.next()
      rows += [UInt8(truncatingIfNeeded: color), UInt8(truncatingIfNeeded: color >> 8)]
      rows.append(UInt8(truncatingIfNeeded: color >> 16))
    }
  }
  var packed = Data([0x78, 0x01])
  for start in stride(from: 0, to: rows.count, by: 65_535) {
    let block = rows[start..<min(start + 65_535, rows.count)]
    let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
    packed += [block.endIndex == rows.count ? 1 : 0, low, high, ~low, ~high]
    packed += block
  }
  var (a, b) = (UInt32(1), UInt32(0))
  for byte in rows { (a, b) = ((a + UInt32(byte)) % 65_521, (b + (a + UInt32(byte))) % 65_521) }
  packed += bigEndian(b << 16 | a)
  let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 2, 0, 0, 0]
  return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", Data())
}

private func bigEndian(_ number: UInt32) -> Data {
  withUnsafeBytes(of: number.bigEndian) { Data($0) }
}

private func chunk(_ name: String, _ content: Data) -> Data {
  let body = Data(name.utf8) + content
  var crc: UInt32 = 0xFFFF_FFFF
  for byte in body { crc = crc >> 8 ^ crcTable[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
  return bigEndian(UInt32(content.count)) + body + bigEndian(~crc)
}

private let crcTable: [UInt32] = (0..<256).map { index in
  (0..<8).reduce(UInt32(index)) { value, _ in
    value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
  }
}
