/// Tables that say nothing but what their codes need.
extension JPEGHuffmanTable {
  /// One code of a table.
  private struct Entry {
    let length, code: Int
    let symbol: UInt8
  }

  /// The table as a finished file has it. One of those of annex K.3 stays as it is. Else it follows
  /// from the codes that are used alone:
  /// - There are no codes after the last one that is used.
  /// - Gaps between used codes hold the fewest codes that fill them: as many as fit of the shorter
  ///   used code's length, then at most one of each length up to the longer one's.
  /// - Those codes mean, in their order, the smallest symbols of 8-bit pictures that are not used,
  ///   each once: for DC 0 to 11, then up to 15; for AC 0, 0xF0 and all with sizes of 1 to 10.
  ///
  /// - Parameter seen: for each place of `lookup` whether the data has a code that is found there: 1,
  ///   else 0.
  /// - Returns: nil when two codes of one symbol are used, or symbols run out.
  func finished(seen: ArraySlice<UInt8>, forDC isDC: Bool) -> JPEGHuffmanTable? {
    guard !isTypical(forDC: isDC) else { return self }
    let used = entries.filter { isSeen($0, in: seen) }
    var isFree = [Bool](repeating: true, count: 256)
    for entry in used {
      guard isFree[Int(entry.symbol)] else { return nil }
      isFree[Int(entry.symbol)] = false
    }
    var idle = (isDC ? Array(0...15) : Self.legalAC).filter { isFree[Int($0)] }.makeIterator()
    var counts = [UInt8](repeating: 0, count: 16)
    var symbols: [UInt8] = []
    var (code, length) = (0, 1)
    for entry in used {
      while true {
        for _ in 0..<(entry.code >> (entry.length - length)) - code {
          guard let symbol = idle.next() else { return nil }
          counts[length - 1] += 1
          symbols.append(symbol)
        }
        code = entry.code >> (entry.length - length)
        guard length < entry.length else { break }
        (code, length) = (code << 1, length + 1)
      }
      counts[length - 1] += 1
      symbols.append(entry.symbol)
      code += 1
    }
    return JPEGHuffmanTable(counts: counts, symbols: symbols)
  }

  /// Whether it is one of annex K.3.
  private func isTypical(forDC isDC: Bool) -> Bool {
    [true, false].contains { isLuma in
      let typical = Self.typical(forDC: isDC, isLuma: isLuma)
      return counts == typical.counts && symbols == typical.symbols
    }
  }

  private var entries: [Entry] {
    var entries: [Entry] = []
    var code = 0
    for length in 1...16 {
      for symbol in symbols.dropFirst(entries.count).prefix(Int(counts[length - 1])) {
        entries.append(Entry(length: length, code: code, symbol: symbol))
        code += 1
      }
      code <<= 1
    }
    return entries
  }

  private func isSeen(_ entry: Entry, in seen: ArraySlice<UInt8>) -> Bool {
    var (code, spare) = (entry.code, Self.lookupBits - entry.length)
    var start = 0
    if spare < 0 {
      start = Int(lookup[code >> -spare] & ~Self.isFurther)
      spare += 4
      code &= 1 << (4 - spare) - 1
    }
    let places = start + code << spare..<start + (code + 1) << spare
    return seen.dropFirst(places.lowerBound).prefix(places.count).contains(1)
  }

  private static let legalAC: [UInt8] = (UInt8.min...UInt8.max).filter {
    $0 == 0 || $0 == 0xF0 || (1...10).contains($0 & 15)
  }
}

extension JPEGHuffmanTable {
  /// The table that codes symbols of these frequencies, of which at least one is not zero, in the
  /// fewest bits; none has more than 16, and no code is all ones (T.81, annex K.2).
  static func optimal(for frequencies: [Int]) -> JPEGHuffmanTable? {
    // One symbol more, the rarest, takes the code that is all ones.
    var weights = frequencies.map { max(0, $0) } + [1]
    var lengths = [Int](repeating: 0, count: 257)
    var next = [Int?](repeating: nil, count: 257)
    while true {
      let left = weights.indices.filter { weights[$0] > 0 }
      // Of equals the last.
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
    // Codes that are too long go up in pairs: one takes the place above, the other stands beside a
    // shorter code that gets a bit more (T.81, figure K.3).
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
