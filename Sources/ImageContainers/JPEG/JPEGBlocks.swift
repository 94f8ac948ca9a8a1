/// Coefficients of blocks, as scans bring them.
struct JPEGBlocks {
  /// The DC coefficient of each block; that of one block more is scratch, here and below. They lie
  /// apart because some scans go through them alone.
  var averages: [Int16]
  /// Of a progressive picture 64 for each block, in zigzag order, the first of which says nothing.
  var values: [Int16]
  /// Of others, which bring a block as a whole, only the AC coefficients that are not zero.
  var packed: [Int16] = []
  /// Where those of each block start.
  var starts: [Int]
  /// For each block a bit for each coefficient that is not zero, but for that of DC. Refinements need them: they
  /// have a bit for each.
  var filled: [UInt64]
  let count: Int

  /// - Parameter size: of the file of which values are kept; nil if only `filled` is, where data is progressive.
  init(count: Int, isProgressive: Bool, size: Int?) {
    self.count = count
    let keepsValues = size != nil
    averages = [Int16](repeating: 0, count: keepsValues ? count + 1 : 1)
    starts = [Int](repeating: 0, count: keepsValues && !isProgressive ? count + 1 : 1)
    filled = [UInt64](repeating: 0, count: keepsValues || isProgressive ? count + 1 : 1)
    values = [Int16](repeating: 0, count: keepsValues && isProgressive ? (count + 1) * 64 : 64)
    // Few files have more of them than bytes.
    if let size, !isProgressive { packed.reserveCapacity(size) }
  }

  /// Whether values are packed.
  var isPacked: Bool { starts.count > 1 }
}
