extension JPEGHuffmanTable {
  /// Returns the table that codes symbols of these frequencies in the fewest bits. At least one frequency must not be
  /// zero. No code has more than 16 bits, and no code is all ones (T.81, annex K.2).
  static func optimal(for frequencies: [Int]) -> JPEGHuffmanTable? {
    // One more symbol, the rarest, gets the code that is all ones.
    var weights = frequencies.map { max(0, $0) } + [1]
    var lengths = [Int](repeating: 0, count: 257)
    var next = [Int?](repeating: nil, count: 257)
    while true {
      let left = weights.indices.filter { weights[$0] > 0 }
      // Takes the last one of equal weights.
      guard let first = left.reversed().min(by: { weights[$0] < weights[$1] }),
        let second = left.reversed().filter({ $0 != first })
          .min(by: { weights[$0] < weights[$1] })
      else { break }
      weights[first] += weights[second]
      weights[second] = 0
      var last = first
      while true {
        lengths[last] += 1
        guard let following = next[last] else { break }
        last = following
      }
      next[last] = second
      var member: Int? = second
      while let symbol = member {
        lengths[symbol] += 1
        member = next[symbol]
      }
    }
    var counts = [Int](repeating: 0, count: 258)
    for length in lengths where length > 0 { counts[length] += 1 }
    // Codes that are too long are shortened in pairs. One of the two gets a bit shorter. The other is placed beside a
    // shorter code, which gets a bit longer (T.81, figure K.3).
    for length in stride(from: 257, to: 16, by: -1) {
      while counts[length] > 0 {
        var shorter = length - 2
        while counts[shorter] == 0 { shorter -= 1 }
        counts[length] -= 2
        counts[length - 1] += 1
        counts[shorter + 1] += 2
        counts[shorter] -= 1
      }
    }
    if let longest = counts.lastIndex(where: { $0 > 0 }) { counts[longest] -= 1 }
    let symbols = (0..<256).filter { lengths[$0] > 0 }.sorted {
      (lengths[$0], $0) < (lengths[$1], $1)
    }
    return JPEGHuffmanTable(
      counts: counts[1...16].map { UInt8($0) }, symbols: symbols.map { UInt8($0) })
  }
}
