extension PNGProofInflate {
  /// Writes `length` bytes as they stand `distance` bytes before, those just written among them. Up to
  /// seven more are written over.
  @inline(__always)
  static func repeatBytes(
    _ length: Int, from distance: Int, before end: UnsafeMutablePointer<UInt8>
  ) {
    let from = UnsafePointer(end) - distance
    if distance >= 8 {
      // Eight bytes at once.
      var done = 0
      repeat {
        UnsafeMutableRawPointer(end).storeBytes(
          of: UnsafeRawPointer(from).loadUnaligned(fromByteOffset: done, as: UInt64.self),
          toByteOffset: done, as: UInt64.self)
        done &+= 8
      } while done < length
    } else if distance == 1 {
      end.update(repeating: from[0], count: length)
    } else {
      for index in 0..<length { end[index] = from[index] }
    }
  }
}
