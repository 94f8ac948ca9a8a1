import ImageContainers
import Testing

@Suite struct HEICMutationTests {
  /// A mutated file is either rejected or cleaned to a fixed point.
  @Test(arguments: [(0, 9_000), (1, 3_000), (2, 8_000)])
  func survivesMutations(sample: Int, count: Int) throws {
    let original = HEICSample.all[sample].file()
    var random = SeededNumbers(state: UInt64(sample + 1))
    var accepted = 0
    var broken: [[UInt8]] = []
    for _ in 0..<count {
      let mutant = mutate(original, &random)
      guard let facts = try? HEICContainer.parse(mutant) else {
        if (try? HEICContainer.clean(mutant)) != nil { broken.append(mutant) }
        continue
      }
      accepted += 1
      if try !isFixedPoint(try HEICContainer.clean(mutant), facts) { broken.append(mutant) }
    }
    #expect(broken.isEmpty, "\(broken.first ?? [])")
    #expect(accepted > 0)
  }

  /// Returns whether a cleaned file has only the same picture, and cleaning it again changes nothing.
  private func isFixedPoint(_ cleaned: [UInt8], _ facts: ImageFacts) throws -> Bool {
    let after = try HEICContainer.parse(cleaned)
    return try after.parts.allSatisfy { $0.origin == "NAL unit" }
      && after.repairs.isEmpty && after.hasAlpha == facts.hasAlpha
      && (after.storedWidth, after.storedHeight) == (facts.storedWidth, facts.storedHeight)
      && after.colorTag == facts.colorTag && after.bitDepth == facts.bitDepth
      && HEICContainer.clean(cleaned) == cleaned
  }

  private func mutate(_ original: [UInt8], _ random: inout SeededNumbers) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let position = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes[position] = [0, 0xFF, 0x7F, 0x80, 1].randomElement(using: &random) ?? 0
      case 3:
        let end = min(bytes.count, position + 4)
        bytes.replaceSubrange(position..<end, with: repeatElement(0xFF, count: end - position))
      case 4: bytes.removeSubrange(position..<min(bytes.count, position + 9))
      default:
        bytes.insert(contentsOf: bytes[position..<min(bytes.count, position + 9)], at: position)
      }
      if bytes.isEmpty { return bytes }
    }
    return bytes
  }
}
