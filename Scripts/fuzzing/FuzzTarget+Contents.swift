/// The readers of what lies inside containers.
extension FuzzTarget {
  static func exif(_ bytes: [UInt8]) {
    guard let exif = EXIF.parse(bytes, in: 0..<bytes.count) else { return }
    promise("an orientation is 1 to 8", exif.orientation.map((1...8).contains) ?? true)
    promise("a thumbnail lies inside", 0...bytes.count ~= exif.thumbnailBytes)
    promise("a date has 19 to 25 letters", 19...25 ~= exif.capturedAt?.utf8.count ?? 19)
    if let position = exif.position {
      promise(
        "a place is on earth: \(position)",
        abs(position.latitude) <= 90 && abs(position.longitude) <= 180 && exif.hasGPS)
    }
  }

  /// Compares with the plainest search there is.
  static func xmp(_ bytes: [UInt8]) {
    let xmp = XMP.parse(bytes, in: 0..<bytes.count)
    func contains(_ names: [String]) -> Bool {
      names.contains { name in
        let name = Array(name.utf8)
        return bytes.indices.dropLast(8).contains { bytes[$0...].starts(with: name) }
      }
    }
    promise(
      "a place is found",
      xmp.hasLocation == contains(["GPSLatitude", "GPSLongitude", "GpsLatitude"]))
    promise("a gain map is found", xmp.hasGainMap == contains(["hdrgm:", "HDRGainMap"]))
    promise(
      "a depth map is found", xmp.hasDepthMap == contains(["GDepth:", "GImage:", "depthData"]))
  }

  static func icc(_ bytes: [UInt8]) {
    for model in [ColorModel.gray, .rgb, .palette, .cmyk] {
      check(ColorTag.profile(bytes).meaning(for: model))
      // What a PNG's gAMA and cHRM can say.
      var reader = ByteReader(bytes)
      let numbers = (0..<9).compactMap { _ in try? reader.big(4, "icc") }
      guard numbers.count == 9 else { continue }
      let places = stride(from: 0, to: 8, by: 2).map {
        ColorPrimaries.Chromaticity(
          Double(numbers[$0]) / 100_000, Double(numbers[$0 + 1]) / 100_000)
      }
      let primaries = ColorPrimaries(
        red: places[0], green: places[1], blue: places[2], white: places[3])
      check(
        ColorTag.primaries(primaries, gamma: Double(numbers[8]) / 100_000).meaning(for: model))
      let codes = (Int(bytes[0]), Int(bytes[1]))
      check(
        ColorTag.codePoints(
          primaries: codes.0, transfer: codes.1, matrix: 0, fullRange: true
        ).meaning(for: model))
    }
  }

  private static func check(_ meaning: ColorMeaning) {
    if case .toneMap = meaning {
      let everyValue = (UInt8.min...UInt8.max).flatMap { value -> [UInt8] in
        [value, 255 - value, value / 2]
      }
      var pixels = everyValue
      pixels.withUnsafeMutableBufferPointer {
        meaning.colors?.conversion()?.convert($0.baseAddress!, count: 256)
      }
      promise("high dynamic range is converted", pixels != everyValue)
    }
    guard case .convert(let profile, let name) = meaning else { return }
    let usable = ICCProfile(profile).map { $0.isUsable(components: $0.colorSpace.channels) }
    promise("a profile to convert from is usable", usable == true)
    promise(
      "a profile's name can be shown: \(name)",
      1...100 ~= name.count
        && !name.unicodeScalars.contains { $0.properties.generalCategory == .control })
  }

  static func inflate(_ bytes: [UInt8]) {
    let range = 0..<bytes.count
    guard let output = try? Inflate.zlib(bytes, in: range, limit: 65_536) else { return }
    promise("the limit holds", output.count <= 65_536)
    promise(
      "a limit that is just enough changes nothing",
      (try? Inflate.zlib(bytes, in: range, limit: output.count)) == output)
    guard !output.isEmpty else { return }
    do throws(Inflate.Failure) {
      _ = try Inflate.zlib(bytes, in: range, limit: output.count - 1)
      fatalError("broken promise: one byte over the limit is refused")
    } catch {
      promise("what is over the limit is refused by that name", error == .overLimit)
    }
  }
}
