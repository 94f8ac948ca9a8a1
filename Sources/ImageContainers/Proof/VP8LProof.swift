enum VP8LProof {
  static func account(for bytes: [UInt8], in payload: Range<Int>) throws(ProofFailure) -> (width: Int, height: Int, hasAlpha: Bool) { (0,0,false) }
  static func accountForAlpha(in payload: Range<Int>, of bytes: [UInt8], width: Int, height: Int) throws(ProofFailure) {}
}
