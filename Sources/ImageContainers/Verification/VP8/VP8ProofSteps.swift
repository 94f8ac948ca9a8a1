/// The quantization steps of coefficients (RFC 6386, 9.6 and 14.1).
struct VP8ProofSteps {
  /// DC and AC of luma, of the block of luma DCs, and of chroma.
  var luma, lumaDC, chroma: SIMD2<Int32>

  /// - Parameters:
  ///   - quantizer: the macroblock's quantizer, 0 to 127.
  ///   - deltas: the differences for luma DC, for DC and AC of the block of DCs, and for chroma DC and AC.
  init(quantizer: Int, deltas: [Int]) {
    func dc(_ delta: Int, most: Int = 127) -> Int32 {
      Self.dc[min(max(quantizer + delta, 0), most)]
    }
    func ac(_ delta: Int) -> Int32 {
      let index = min(max(quantizer + delta, 0), 127)
      // 4 to 58 in steps of one, then 60 to 116 in steps of two.
      return index < 55
        ? Int32(index + 4) : index < 84 ? Int32(2 * index - 50) : Self.ac[index - 84]
    }
    luma = SIMD2(dc(deltas[0]), ac(0))
    lumaDC = SIMD2(2 * dc(deltas[1]), max(8, ac(deltas[2]) * 155 / 100))
    chroma = SIMD2(dc(deltas[3], most: 117), ac(deltas[4]))
  }

  private static let dc: [Int32] = [
    4, 5, 6, 7, 8, 9, 10, 10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 19, 20, 20, 21, 21, 22, 22, 23,
    23,
    24, 25, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 37, 38, 39, 40, 41, 42, 43, 44, 45,
    46, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68,
    69, 70, 71, 72, 73, 74, 75, 76, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 91, 93,
    95, 96, 98, 100, 101, 102, 104, 106, 108, 110, 112, 114, 116, 118, 122, 124, 126, 128, 130, 132,
    134, 136, 138, 140, 143, 145, 148, 151, 154, 157,
  ]

  /// The values from index 84 on.
  private static let ac: [Int32] = [
    119, 122, 125, 128, 131, 134, 137, 140, 143, 146, 149, 152, 155, 158, 161, 164, 167, 170, 173,
    177, 181, 185, 189, 193, 197, 201, 205, 209, 213, 217, 221, 225, 229, 234, 239, 245, 249, 254,
    259, 264, 269, 274, 279, 284,
  ]
}
