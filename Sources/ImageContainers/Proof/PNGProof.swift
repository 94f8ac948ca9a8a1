/// Accounts for each byte of a PNG.
enum PNGProof {
  static func account(for bytes: [UInt8]) throws(ProofFailure) -> ProvedPicture {
    let facts: ImageFacts
    do throws(ContainerError) {
      facts = try PNGContainer.walk(bytes, limits: .unbounded)
    } catch {
      throw ProofFailure("png-structure", offset: 0)
    }
    guard facts.parts.isEmpty, facts.orientation == 1 else {
      throw ProofFailure("png-not-clean", offset: 0)
    }
    guard facts.bitDepth <= 8, facts.colorTag == .untagged || facts.colorTag == .sRGB,
      facts.colorModel != .cmyk
    else { throw ProofFailure("png-color", offset: 0) }
    return ProvedPicture(
      width: facts.storedWidth, height: facts.storedHeight, frameCount: facts.frameCount)
  }
}
