/// The coefficients of a picture's blocks, read from its scans.
struct JPEGBlocks {
  /// The DC coefficient of each block. This array and those below have one more element for a scratch block. DC
  /// coefficients are stored separately because some scans read only them.
  var dcAverages: [Int16]
  /// The coefficients of a progressive picture: 64 for each block, in zigzag order. The first of the 64 is unused.
  var values: [Int16]
  /// The AC coefficients of a sequential picture that are not zero. Its scans contain whole blocks, one after another.
  var packed: [Int16] = []
  /// The index in `packed` of each block's first coefficient.
  var starts: [Int]
  /// A bit for each AC coefficient of each block that is not zero. Refinement scans need them because they have one bit
  /// for each such coefficient.
  var filled: [UInt64]
  let count: Int

  /// - Parameter size: the file's size if values are kept. `nil` keeps only `filled`, and that only for progressive
  ///   pictures.
  init(count: Int, isProgressive: Bool, size: Int?) {
    self.count = count
    let keepsValues = size != nil
    dcAverages = [Int16](repeating: 0, count: keepsValues ? count + 1 : 1)
    starts = [Int](repeating: 0, count: keepsValues && !isProgressive ? count + 1 : 1)
    filled = [UInt64](repeating: 0, count: keepsValues || isProgressive ? count + 1 : 1)
    values = [Int16](repeating: 0, count: keepsValues && isProgressive ? (count + 1) * 64 : 64)
    // Few files have more such coefficients than bytes.
    if let size, !isProgressive { packed.reserveCapacity(size) }
  }

  /// `true` if values are kept in `packed`.
  var isPacked: Bool { starts.count > 1 }
}
