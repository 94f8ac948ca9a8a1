/// A mutator of samples that makes the same random changes for the same seed.
struct SampleMutator {
  private var numbers: SeededNumbers

  init(seed: UInt64) { numbers = SeededNumbers(state: seed) }

  /// Overwrites, flips, removes, doubles or cuts one to four places.
  mutating func mutate(_ sample: [UInt8]) -> [UInt8] {
    var bytes = sample
    for _ in 0...numbers.next(below: 4) where !bytes.isEmpty {
      let index = numbers.next(below: bytes.count)
      switch numbers.next(below: 10) {
      case 0...3: bytes[index] = UInt8(numbers.next(below: 256))
      case 4...5: bytes[index] ^= 1 << UInt8(numbers.next(below: 8))
      case 6: bytes.remove(at: index)
      case 7: bytes.insert(contentsOf: bytes[index..<min(index + 20, bytes.count)], at: index)
      case 8: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF][numbers.next(below: 5)]
      default: if numbers.next(below: 8) == 0 { bytes.removeLast(bytes.count - index) }
      }
    }
    return bytes
  }
}
