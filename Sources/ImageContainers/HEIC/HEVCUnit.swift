/// NAL units of HEVC (ITU-T H.265, 7.3.1).
enum HEVCUnit {
  /// Where a unit breaks the rule that no three of its bytes may look like a start code (7.4.2):
  /// two zeros and a byte up to 2, or a 3 that escapes nothing. Nil for a sound unit.
  ///
  /// Coders insert an escape wherever these would come up. So bytes that were lost and read as zeros
  /// are found in coded data, which decoders take for a picture; and nobody can hide a unit within
  /// a unit.
  static func startCode(in unit: Range<Int>, of bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var place = unit.lowerBound + 2
      while place < unit.upperBound {
        let byte = bytes[place]
        let isThird = byte <= 3 && bytes[place - 1] == 0 && bytes[place - 2] == 0
        if isThird {
          // At the very end a 3 may follow: padding of the coder's (7.4.3.10).
          let isEscape =
            byte == 3 && (place + 1 == unit.upperBound || bytes[place + 1] <= 3)
          if !isEscape { return place - 2 }
        }
        // Behind anything but a zero the next two bytes cannot be third.
        place += byte == 0 ? 1 : 3
      }
      return nil
    }
  }
}
