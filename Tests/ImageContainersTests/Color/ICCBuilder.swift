/// A builder of ICC profiles, tag by tag, valid or invalid on purpose.
struct ICCBuilder {
  var colorSpace = "RGB "
  var deviceClass = "mntr"
  var pcs = "XYZ "
  var version: UInt8 = 2
  var signature = "acsp"
  /// The number of bytes that is added to the size in the header.
  var sizeError = 0
  /// The number of tags that the table claims; `nil` for the actual number.
  var claimedTags: Int?
  var tags: [(name: String, data: [UInt8])] = []

  var profile: [UInt8] {
    let bodyStart = 132 + tags.count * 12
    var table = PNGBuilder.big(claimedTags ?? tags.count)
    var body: [UInt8] = []
    for tag in tags {
      table += Array(tag.name.utf8) + PNGBuilder.big(bodyStart + body.count)
      table += PNGBuilder.big(tag.data.count)
      body += tag.data
    }
    var header = PNGBuilder.big(bodyStart + body.count + sizeError) + [0, 0, 0, 0]
    header += [version, 0, 0, 0] + Array((deviceClass + colorSpace + pcs).utf8)
    header += [UInt8](repeating: 0, count: 12) + Array(signature.utf8)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + body
  }

  /// Returns a profile with sRGB's colorants as Hewlett-Packard wrote them, and this curve for all channels.
  static func sRGB(curve: [UInt8]) -> ICCBuilder {
    var builder = ICCBuilder()
    builder.tags = [
      ("wtpt", xyz(0.9505, 1, 1.0891)),  // D65, unadapted, as in the old files
      ("rXYZ", xyz(0.4361, 0.2225, 0.0139)), ("gXYZ", xyz(0.3851, 0.7169, 0.0971)),
      ("bXYZ", xyz(0.1431, 0.0606, 0.7141)),
      ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
    return builder
  }

  static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
    Array("XYZ ".utf8) + [0, 0, 0, 0] + [x, y, z].flatMap(fixed)
  }

  static func curve(_ values: [Int]) -> [UInt8] {
    Array("curv".utf8) + [0, 0, 0, 0] + PNGBuilder.big(values.count)
      + values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }

  static func parametric(_ kind: UInt8, _ numbers: [Double]) -> [UInt8] {
    Array("para".utf8) + [0, 0, 0, 0, 0, kind, 0, 0] + numbers.flatMap(fixed)
  }

  static func fixed(_ number: Double) -> [UInt8] {
    PNGBuilder.big(Int((number * 65_536).rounded()))
  }

  static let exactCurve = parametric(3, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
}
