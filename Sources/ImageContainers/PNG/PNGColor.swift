/// The combined meaning of the color chunks of a PNG (W3C PNG Third Edition, 4.3 and 11.3.2).
///
/// The first available of cICP, iCCP, sRGB, and gAMA with cHRM counts. As in browsers, chunks after IDAT are ignored,
/// and so is a cICP after PLTE.
struct PNGColor {
  private(set) var tag = ColorTag.untagged
  /// The reasons why a profile was ignored: `broken-profile` or `oversized-profile`.
  private(set) var oddities: [String] = []
  /// The sRGB chunk, if the picture's colors are sRGB.
  private(set) var keptChunk: PNGChunk?

  /// The largest profile that is decompressed, in bytes. Real ones are smaller than 3 MB.
  static let profileLimit = 4 << 20

  init(_ bytes: [UInt8], chunks: [PNGChunk]) {
    let head = chunks.prefix { $0.type != "IDAT" }
    func first(_ type: String, _ isLegal: (PNGChunk) -> Bool) -> PNGChunk? {
      head.prefix { type != "cICP" || $0.type != "PLTE" }.first {
        $0.type == type && $0.isIntact && isLegal($0)
      }
    }
    let marker = first("sRGB") { $0.data.count == 1 && bytes[$0.data.lowerBound] <= 3 }
    // PNG only supports RGB, so a matrix other than 0 makes the chunk invalid (11.3.2.6).
    if let chunk = first("cICP", { $0.data.count == 4 && bytes[$0.data.lowerBound + 2] == 0 }) {
      let code = bytes[chunk.data].map(Int.init)
      tag =
        code == [1, 13, 0, 1]
        ? .sRGB
        : .codePoints(
          primaries: code[0], transfer: code[1], matrix: code[2], fullRange: code[3] == 1)
    } else if let chunk = first("iCCP", { _ in true }) {
      takeProfile(bytes, chunk)
    } else if marker != nil {
      tag = .sRGB
    } else if let gamma = first("gAMA", { $0.data.count == 4 }) {
      let primaries = first("cHRM") { $0.data.count == 32 }
      tag = Self.tag(
        gamma: Self.numbers(bytes, gamma)[0],
        primaries: primaries.flatMap { Self.primaries(Self.numbers(bytes, $0)) })
    }
    if tag == .sRGB { keptChunk = marker }
  }

  private mutating func takeProfile(_ bytes: [UInt8], _ chunk: PNGChunk) {
    // Profile name, NUL, compression method 0, zlib stream (11.3.2.3).
    guard let name = bytes[chunk.data].prefix(80).firstIndex(of: 0),
      bytes[name..<chunk.data.upperBound].dropFirst().first == 0
    else {
      oddities.append("broken-profile")
      return
    }
    do throws(Inflate.Failure) {
      let profile = try Inflate.zlib(
        bytes, in: name + 2..<chunk.data.upperBound, limit: Self.profileLimit)
      tag = .profile(profile)
    } catch {
      oddities.append(error == .overLimit ? "oversized-profile" : "broken-profile")
    }
  }

  /// Returns the numbers of gAMA or cHRM, which are 100,000 times the value.
  private static func numbers(_ bytes: [UInt8], _ chunk: PNGChunk) -> [Int] {
    stride(from: chunk.data.lowerBound, to: chunk.data.upperBound, by: 4).map { start in
      bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }
  }

  /// Returns the primaries, or `nil` if a chromaticity is impossible.
  private static func primaries(_ numbers: [Int]) -> ColorPrimaries? {
    let places = stride(from: 0, to: 8, by: 2).map { index in
      ColorPrimaries.Chromaticity(
        Double(numbers[index]) / 100_000, Double(numbers[index + 1]) / 100_000)
    }
    guard places.allSatisfy({ $0.y > 0 && $0.x + $0.y <= 1 }) else { return nil }
    return ColorPrimaries(red: places[1], green: places[2], blue: places[3], white: places[0])
  }

  /// Returns the color tag for a gamma. A gamma of 0 is ignored. The gamma of sRGB, with the primaries of sRGB or
  /// without any, means sRGB.
  private static func tag(gamma: Int, primaries: ColorPrimaries?) -> ColorTag {
    guard gamma > 0 else { return .untagged }
    let hasSRGBPrimaries = primaries?.isNear(.sRGB, within: 0.002) ?? true
    if abs(gamma - 45_455) <= 500, hasSRGBPrimaries { return .sRGB }
    return .primaries(
      hasSRGBPrimaries ? .sRGB : primaries ?? .sRGB, gamma: Double(gamma) / 100_000)
  }
}

extension ColorPrimaries {
  /// Returns `true` if every coordinate is within this distance of the other's.
  func isNear(_ other: ColorPrimaries, within tolerance: Double) -> Bool {
    let pairs = [
      (red, other.red), (green, other.green), (blue, other.blue), (white, other.white),
    ]
    return pairs.allSatisfy { abs($0.x - $1.x) <= tolerance && abs($0.y - $1.y) <= tolerance }
  }
}
