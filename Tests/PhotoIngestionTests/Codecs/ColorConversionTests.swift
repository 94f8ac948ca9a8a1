import ImageContainers
import Testing

@testable import PhotoIngestion

@Suite("Color conversion without littlecms")
struct ColorConversionTests {
  static let spaces: [(name: String, primaries: ColorPrimaries, gamma: ICCTransfer)] = [
    ("Display P3", .displayP3, .sRGB),
    ("BT.2020", ColorPrimaries(codePoint: 9)!, .sRGB),
    (
      "Adobe RGB",
      .init(
        red: .init(0.64, 0.33), green: .init(0.21, 0.71), blue: .init(0.15, 0.06),
        white: .init(0.3127, 0.3290)), .gamma(2.199)
    ),
    ("linear sRGB", .sRGB, .linear),
  ]

  @Test("The colors differ from littlecms' by at most 2 of 255", arguments: spaces.map(\.name))
  func asLittleCMS(_ name: String) throws {
    try VipsRuntime.start(threads: 1)
    let space = try #require(Self.spaces.first { $0.name == name })
    let profile = try #require(
      ICCProfile.matrixProfile(primaries: space.primaries, transfer: space.gamma, name: name))
    let conversion = try #require(ICCProfile(profile)?.srgbConversion())
    let side = 17 * 17
    let colors = (0..<17 * side).flatMap { index in
      [index % 17, index / 17 % 17, index / side].map { UInt8(min(255, $0 * 16)) }
    }
    let (expected, found) = try colors.withUnsafeBytes { bytes in
      let picture = try VipsPicture.over(bytes, width: side, height: 17)
      return (
        try picture.inSRGB(from: .profile(profile)).inMemory().pixels(),
        try picture.painted(orientation: 1, converting: conversion).pixels
      )
    }
    let differences = zip(found, expected).map { abs(Int($0) - Int($1)) }
    #expect(found.count == colors.count)
    #expect(differences.allSatisfy { $0 <= 2 }, "at most \(differences.max() ?? 0)")
    #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 0.1)
  }
}
