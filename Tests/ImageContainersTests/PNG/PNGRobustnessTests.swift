import Testing

@testable import ImageContainers

private typealias Build = PNGBuilder

@Suite struct PNGRobustnessTests {
  private static let samples = [
    Build.still, Build.animation,
    Build.file(
      Build.header(depth: 2, color: 3), Build.chunk("PLTE", [1, 2, 3, 4, 5, 6]),
      Build.chunk("tRNS", [1]), Build.text("Raw profile type exif", "\nexif\n 2\n4d4d\n"),
      Build.chunk("IDAT", Build.zlib([0, 0x40, 0, 0x10])), Build.end),
    Build.file(
      Build.header(), Build.chunk("iCCP", [65, 0, 0] + Build.zlib([1, 2, 3])),
      Build.chunk("cHRM", [UInt8](repeating: 1, count: 32)),
      Build.chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 1, 0, 0, 0] + Build.zlib([65])),
      Build.data(), Build.chunk("eXIf", Array("MM".utf8) + [0, 42, 0, 0, 0, 8]), Build.end),
  ]

  @Test(arguments: samples) func everyTruncationIsRefusedOrRepaired(sample: [UInt8]) throws {
    let frames = try PNGContainer.parse(sample).frameCount
    for count in 0..<sample.count {
      let file = Array(sample[..<count])
      guard let (facts, clean) = try? ImageContainer.parseAndClean(file, as: .png) else { continue }
      #expect(facts.repairs.contains("png-iend"))
      #expect(facts.losses == (facts.frameCount < frames ? ["frames"] : []))
      #expect(try ContainerProof.verify(clean, as: .png).frameCount == facts.frameCount)
    }
  }

  /// Half of the files get correct checksums again, so that parsing continues after the first chunk.
  @Test(arguments: samples.indices) func anyDamageIsRefusedOrCleaned(index: Int) throws {
    var numbers = SeededNumbers(state: UInt64(index))
    var accepted = 0
    for round in 0..<5_000 {
      var file = Self.samples[index]
      for _ in 0...Int.random(in: 0..<3, using: &numbers) {
        let place = Int.random(in: 8..<file.count, using: &numbers)
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: file[place] = 0xFF
        case 1: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        case 2: file.remove(at: place)
        default: file[place] = .random(in: 0...255, using: &numbers)
        }
      }
      if round % 4 != 0 { file = Build.withChecksums(file) }
      guard let (facts, clean) = try? ImageContainer.parseAndClean(file, as: .png) else { continue }
      accepted += 1
      let again = try PNGContainer.parse(clean)
      // A stream whose checksum was cut off gets a little longer.
      #expect(clean.count <= file.count + 100)
      #expect(again.parts.isEmpty)
      #expect(again.frameCount == facts.frameCount && again.loopCount == facts.loopCount)
      #expect(again.hasAlpha == facts.hasAlpha)
      #expect(again.bitDepth == facts.bitDepth)
      #expect(try PNGContainer.clean(clean) == clean)
      #expect(try PNGContainer.frames(of: clean).count == facts.frameCount)
      _ = facts.colorTag.meaning(for: facts.colorModel)
    }
    #expect(accepted > 100)
  }
}
