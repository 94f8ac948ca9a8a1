/// Huffman codes made from how often symbols come (RFC 1951, 3.2).
enum HuffmanLengths {
  /// Bits of each symbol's code, 0 for one that never comes; one symbol alone gets one bit.
  static func lengths(of counts: [Int], limit: Int) -> [Int] {
    var counts = counts
    while true {
      let lengths = unlimited(counts)
      guard lengths.contains(where: { $0 > limit }) else { return lengths }
      // Flatter counts make a flatter tree; all alike fit any limit.
      for index in counts.indices where counts[index] > 0 { counts[index] = counts[index] / 2 + 1 }
    }
  }

  /// The classic way: the two rarest nodes are joined until one is left.
  private static func unlimited(_ counts: [Int]) -> [Int] {
    var lengths = [Int](repeating: 0, count: counts.count)
    let leaves = counts.indices.filter { counts[$0] > 0 }.sorted {
      (counts[$0], $0) < (counts[$1], $1)
    }
    guard leaves.count > 1 else {
      for leaf in leaves { lengths[leaf] = 1 }
      return lengths
    }
    // Leaves first, then joined nodes: both come in rising order by themselves.
    var weights = leaves.map { counts[$0] }
    var parents = [Int](repeating: 0, count: 2 * leaves.count - 1)
    var (leaf, joined) = (0, leaves.count)
    for node in leaves.count..<parents.count {
      var weight = 0
      for _ in 0..<2 {
        let takesLeaf =
          leaf < leaves.count && (joined >= weights.count || weights[leaf] <= weights[joined])
        let taken = takesLeaf ? leaf : joined
        if takesLeaf { leaf += 1 } else { joined += 1 }
        parents[taken] = node
        weight += weights[taken]
      }
      weights.append(weight)
    }
    var depths = [Int](repeating: 0, count: parents.count)
    for node in (0..<parents.count - 1).reversed() {
      depths[node] = depths[parents[node]] + 1
      if node < leaves.count { lengths[leaves[node]] = depths[node] }
    }
    return lengths
  }

  /// The codes of these lengths, the bit that comes first lowest (3.2.2).
  static func codes(of lengths: [Int]) -> [Int] {
    var codes = [Int](repeating: 0, count: lengths.count)
    var code = 0
    for length in 1...15 {
      for symbol in lengths.indices where lengths[symbol] == length {
        for bit in 0..<length where code >> bit & 1 == 1 {
          codes[symbol] |= 1 << (length - 1 - bit)
        }
        code += 1
      }
      code <<= 1
    }
    return codes
  }
}
