/// Changes samples at random, the same way for the same seed (SplitMix64).
struct SampleMutator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next(below bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ value >> 31) % UInt64(bound))
  }

  /// Overwrites, flips, removes, doubles or cuts one to four places.
  mutating func mutate(_ sample: [UInt8]) -> [UInt8] {
    var bytes = sample
    for _ in 0...next(below: 4) where !bytes.isEmpty {
      let index = next(below: bytes.count)
      switch next(below: 10) {
      case 0...3: bytes[index] = UInt8(next(below: 256))
      case 4...5: bytes[index] ^= 1 << UInt8(next(below: 8))
      case 6: bytes.remove(at: index)
      case 7: bytes.insert(contentsOf: bytes[index..<min(index + 20, bytes.count)], at: index)
      case 8: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF][next(below: 5)]
      default: if next(below: 8) == 0 { bytes.removeLast(bytes.count - index) }
      }
    }
    return bytes
  }
}
