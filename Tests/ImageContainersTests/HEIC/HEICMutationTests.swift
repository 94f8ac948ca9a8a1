import ImageContainers
import Testing

@Suite struct HEICMutationTests {
  /// A mutation either is refused or leaves a file that cleans to a fixed point.
  @Test(arguments: 0..<HEICSample.all.count)
  func survivesMutations(sample: Int) throws {
    let original = HEICSample.all[sample].file()
    var random = HEICRandom(state: UInt64(sample + 1))
    var accepted = 0
    for _ in 0..<20_000 / HEICSample.all.count {
      let mutant = mutate(original, &random)
      guard let facts = try? HEICContainer.walk(mutant) else {
        #expect((try? HEICContainer.clean(mutant)) == nil)
        continue
      }
      accepted += 1
      let cleaned = try HEICContainer.clean(mutant)
      let after = try HEICContainer.walk(cleaned)
      #expect(after.parts.isEmpty && after.repairs.isEmpty)
      #expect(
        (after.storedWidth, after.storedHeight) == (facts.storedWidth, facts.storedHeight))
      #expect(after.hasAlpha == facts.hasAlpha && after.colorTag == facts.colorTag)
      #expect(try HEICContainer.clean(cleaned) == cleaned)
    }
    #expect(accepted > 0)
  }

  private func mutate(_ original: [UInt8], _ random: inout HEICRandom) -> [UInt8] {
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
