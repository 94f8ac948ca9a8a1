/// An ICC color profile: its header, its tag table and their meaning (ICC.1:2022).
///
/// Profiles come from untrusted files and are passed to littlecms, so this type rejects inconsistent ones.
package struct ICCProfile: Sendable {
  /// The color space of the picture's samples (7.2.8).
  package let colorSpace: ColorSpace
  /// The kind of device that the profile describes (7.2.7).
  package let deviceClass: DeviceClass
  /// The connection space (7.2.9).
  package let pcs: ConnectionSpace

  private let bytes: [UInt8]
  private let tags: [String: Range<Int>]

  /// The known color spaces. All others are `other`.
  package enum ColorSpace: String, Sendable {
    case gray = "GRAY"
    case rgb = "RGB "
    case cmyk = "CMYK"
    case lab = "Lab "
    case other

    /// The number of channels of a color, 0 if unknown.
    package var channels: Int {
      switch self {
      case .gray: 1
      case .rgb, .lab: 3
      case .cmyk: 4
      case .other: 0
      }
    }
  }

  /// The classes of profiles that describe a picture's color. All others are `other`.
  package enum DeviceClass: String, Sendable {
    case input = "scnr"
    case display = "mntr"
    case output = "prtr"
    case colorSpace = "spac"
    case other
  }

  /// The spaces through which profiles are connected.
  package enum ConnectionSpace: String, Sendable {
    case xyz = "XYZ "
    case lab = "Lab "
    case other
  }

  /// The maximum number of tags. Real profiles have about 20.
  static let tagLimit = 100

  /// Parses the header and the tag table (7.2, 7.3). Returns `nil` if the file signature is missing, the declared size
  /// exceeds the data, or there are more than 100 tags. Tags outside the profile count as absent.
  package init?(_ bytes: [UInt8]) {
    var header = ByteReader(bytes)
    guard bytes.count >= 132, let size = try? header.big(4, "icc"), size >= 132,
      size <= bytes.count, Self.code(bytes, at: 36) == "acsp", 1...4 ~= bytes[8]
    else { return nil }
    colorSpace = ColorSpace(rawValue: Self.code(bytes, at: 16)) ?? .other
    deviceClass = DeviceClass(rawValue: Self.code(bytes, at: 12)) ?? .other
    pcs = ConnectionSpace(rawValue: Self.code(bytes, at: 20)) ?? .other

    var table = ByteReader(bytes, in: 128..<size)
    guard let count = try? table.big(4, "icc"), count <= Self.tagLimit,
      count * 12 <= table.remaining
    else { return nil }
    var tags: [String: Range<Int>] = [:]
    for _ in 0..<count {
      guard let name = try? table.fourCC("icc"), let offset = try? table.big(4, "icc"),
        let length = try? table.big(4, "icc")
      else { return nil }
      guard offset >= 132, length >= 8, offset + length <= size, tags[name] == nil else { continue }
      tags[name] = offset..<offset + length
    }
    self.bytes = bytes
    self.tags = tags
  }

  private static func code(_ bytes: [UInt8], at offset: Int) -> String {
    String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
  }

  /// Returns `true` if a picture with this many color channels (without alpha) can be converted with the profile: the
  /// color space matches, the class describes pictures, and all necessary tags are present.
  package func isUsable(components: Int) -> Bool {
    guard deviceClass != .other, pcs != .other, colorSpace.channels == components else {
      return false
    }
    switch colorSpace {
    case .rgb: return hasTables || colorants != nil && curves != nil
    case .gray: return hasTables || curve("kTRC") != nil
    case .cmyk: return hasTables
    case .lab, .other: return false
    }
  }

  /// `true` if the contents are those of sRGB, whatever the name: its colorants under D50 within 0.003, and curves that
  /// differ by at most 2 steps for each 8-bit value. A profile with lookup tables never counts, because littlecms uses
  /// these.
  package var isSRGB: Bool {
    guard colorSpace == .rgb, [.input, .display, .colorSpace].contains(deviceClass), pcs == .xyz,
      !hasTables, let colorants, let curves, let expected = ColorPrimaries.sRGB.colorants
    else { return false }
    let isNear = zip(colorants.rows.joined(), expected.rows.joined()).allSatisfy {
      abs($0 - $1) <= 0.003
    }
    return isNear && curves.allSatisfy(\.isSRGB)
  }

  /// `true` if the profile can describe colors outside of sRGB. `false` if it has no colorants.
  package var exceedsSRGB: Bool { colorants?.exceedsSRGB == true }

  /// The high dynamic range that the profile describes, or `nil` for any other profile. It comes from the `cicp` tag
  /// (ICC.1:2022, 9.2.17), which takes precedence over curves and tables as in Chromium. Otherwise the curves must be
  /// those of PQ or HLG.
  var hdrColors: HDRColors? {
    guard colorSpace == .rgb || colorSpace == .gray else { return nil }
    if let range = tags["cicp"], range.count >= 12 {
      let codes = bytes[range.lowerBound + 8..<range.lowerBound + 12].map(Int.init)
      if let colors = HDRColors(primaries: codes[0], transfer: codes[1]) { return colors }
    }
    let curves = curves ?? curve("kTRC").map { [$0] } ?? []
    let transfer = [HDRColors.Transfer.pq, .hlg].first { transfer in
      !curves.isEmpty && curves.allSatisfy { $0.follows(transfer.light) }
    }
    guard !hasTables, let transfer else { return nil }
    return HDRColors(transfer: transfer, primaries: nearestPrimaries)
  }

  /// The known primaries that are closest to the profile's colorants. BT.2020 if it has no colorants.
  private var nearestPrimaries: ColorPrimaries {
    func distance(_ primaries: ColorPrimaries) -> Double {
      guard let own = colorants, let other = primaries.colorants else { return 0 }
      return zip(own.rows.joined(), other.rows.joined()).reduce(0) { $0 + abs($1.0 - $1.1) }
    }
    return [.bt2020, .displayP3, .sRGB].min { distance($0) < distance($1) } ?? .bt2020
  }

  /// `true` if this is a gray profile with the curve of sRGB, so that its gray values are also valid in sRGB.
  package var isGrayWithSRGBCurve: Bool {
    colorSpace == .gray && deviceClass != .other && !hasTables && curve("kTRC")?.isSRGB == true
  }

  /// `true` if there are lookup tables that take precedence over matrix and curves (8.10.2).
  var hasTables: Bool {
    ["A2B0", "A2B1", "A2B2", "D2B0", "D2B1", "D2B2", "D2B3"].contains { tags[$0] != nil }
  }

  private func curve(_ tag: String) -> ToneCurve? { tags[tag].flatMap { ToneCurve(bytes, in: $0) } }

  var curves: [ToneCurve]? {
    let curves = ["rTRC", "gTRC", "bTRC"].compactMap(curve)
    return curves.count == 3 ? curves : nil
  }

  /// The colorants: X, Y, Z in rows and red, green, blue in columns.
  var colorants: Matrix3? {
    let columns = ["rXYZ", "gXYZ", "bXYZ"].compactMap(xyz)
    guard columns.count == 3 else { return nil }
    let matrix = Matrix3((0..<3).map { row in columns.map { $0[row] } })
    return matrix.inverse == nil ? nil : matrix
  }

  private func xyz(_ tag: String) -> [Double]? {
    guard let range = tags[tag], range.count >= 20, Self.code(bytes, at: range.lowerBound) == "XYZ "
    else { return nil }
    var reader = ByteReader(bytes, in: range.lowerBound + 8..<range.upperBound)
    let values = (0..<3).compactMap { _ in reader.fixed() }
    return values.count == 3 ? values : nil
  }

  /// The description, at most 100 characters, without control characters. `nil` if the tag is missing (9.2.41).
  package var name: String? {
    guard let range = tags["desc"] else { return nil }
    let text = Self.code(bytes, at: range.lowerBound) == "mluc" ? localized(range) : ascii(range)
    let printable = text.unicodeScalars.filter {
      !($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
    }
    let trimmed = String(String.UnicodeScalarView(printable))
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return trimmed.isEmpty ? nil : String(trimmed.prefix(100))
  }

  /// Returns the ASCII part of a `textDescriptionType` (ICC.1:2001, 6.5.17).
  private func ascii(_ range: Range<Int>) -> String {
    var reader = ByteReader(bytes, in: range.lowerBound + 8..<range.upperBound)
    guard let count = try? reader.big(4, "desc") else { return "" }
    let text = bytes[reader.offset..<reader.offset + min(count, reader.remaining, 400)]
    return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns the English record of a `multiLocalizedUnicodeType`, or its first if there is no English one (10.15).
  private func localized(_ range: Range<Int>) -> String {
    var reader = ByteReader(bytes, in: range.lowerBound + 8..<range.upperBound)
    guard let count = try? reader.big(4, "mluc"), (try? reader.big(4, "mluc")) == 12 else {
      return ""
    }
    var chosen: Range<Int>?
    for _ in 0..<min(count, 200) {
      guard let language = try? reader.big(2, "mluc"), (try? reader.big(2, "mluc")) != nil,
        let length = try? reader.big(4, "mluc"), let offset = try? reader.big(4, "mluc"),
        offset + length <= range.count
      else { break }
      let record = range.lowerBound + offset..<range.lowerBound + offset + min(length, 800)
      if chosen == nil { chosen = record }
      guard language != 0x656E else {
        chosen = record
        break
      }
    }
    guard let chosen else { return "" }
    let units = stride(from: chosen.lowerBound, to: chosen.upperBound - 1, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
  }
}
