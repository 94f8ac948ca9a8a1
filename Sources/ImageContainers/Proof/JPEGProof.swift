/// Accounts for each byte of a JPEG.
enum JPEGProof {
  static func account(for bytes: [UInt8]) throws(ProofFailure) -> ProvedPicture {
    let facts: ImageFacts
    do throws(ContainerError) {
      facts = try JPEGContainer.walk(bytes, limits: .unbounded)
    } catch {
      throw ProofFailure("jpeg-structure", offset: 0)
    }
    guard facts.parts.isEmpty, facts.orientation == 1 else {
      throw ProofFailure("jpeg-not-clean", offset: 0)
    }
    guard facts.bitDepth <= 8, facts.colorTag == .untagged || facts.colorTag == .sRGB,
      facts.colorModel != .cmyk
    else { throw ProofFailure("jpeg-color", offset: 0) }
    return ProvedPicture(
      width: facts.storedWidth, height: facts.storedHeight, frameCount: facts.frameCount)
  }
}
