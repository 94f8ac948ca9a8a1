import Testing

@testable import PhotoAttachments

/// Tests which files an import reads completely.
@Suite struct DecodeForecastTests {
  private func isPhoto(_ brands: String...) -> Bool {
    let box = Array("ftyp\(brands[0])\0\0\0\0\(brands.joined())".utf8)
    let head = [0, 0, 0, UInt8(box.count + 4)] + box + [UInt8](repeating: 0, count: 100)
    return DecodeForecast(head: head, fileSize: 5 << 30).isPhoto
  }

  @Test("Films begin like a HEIC, but only their beginning is read")
  func films() {
    for brand in ["qt  ", "isom", "mp42", "M4V ", "3gp4", "avc1", "XAVC", "crx ", "avif"] {
      #expect(!isPhoto(brand), "\(brand)")
    }
    for brand in ["heic", "heix", "hevc", "mif1", "msf1"] { #expect(isPhoto(brand), "\(brand)") }
    #expect(isPhoto("mp42", "heic"))
  }
}
