extension SeededGenerator {
  /// Returns bytes with one to four of them changed, left out, doubled, or replaced by one of `pieces`.
  package mutating func mutated(_ bytes: [UInt8], with pieces: [[UInt8]]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &self)
      switch Int.random(in: 0..<4, using: &self) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(bytes[place], at: place)
      default:
        let end = min(bytes.count, place + Int.random(in: 0...3, using: &self))
        bytes.replaceSubrange(place..<end, with: pieces.randomElement(using: &self) ?? [])
      }
    }
    return bytes
  }
}
