import ImageContainers

/// Stage 5: verifies a product as if it came from a stranger: its type, its size, and that each of its
/// bytes belongs to the picture.
enum Verifier {
  /// Verifies a product, and returns it with its digest.
  ///
  /// - Parameter side: pixels that the longer side of the small picture keeps at least, where there is
  ///   a choice; nil when none is wanted.
  /// - Returns: the picture, and the same made small where the proof sees pixels.
  /// - Throws: `PhotoError.unverified` when the product breaks the promise.
  static func verify(
    _ bytes: [UInt8], format: ImageFormat, width: Int, height: Int, frames: Int,
    reducedTo side: Int? = nil
  ) throws(PhotoError) -> (EncodedPicture, reduced: SmallPicture?) {
    let verified = try check(
      bytes, format: format, width: width, height: height, frames: frames, reducedTo: side)
    let picture = EncodedPicture(
      bytes: bytes, format: format, pixelWidth: width, pixelHeight: height, frameCount: frames,
      sha256: sha256(of: bytes))
    return (picture, verified.reduced.map { SmallPicture($0) })
  }

  /// Verifies type, size and each byte of a product, without a digest or a small picture of it.
  ///
  /// - Throws: `PhotoError.unverified` when the product breaks the promise.
  @discardableResult
  static func check(
    _ bytes: [UInt8], format: ImageFormat, width: Int, height: Int, frames: Int,
    reducedTo side: Int? = nil
  ) throws(PhotoError) -> VerifiedPicture {
    let verified: VerifiedPicture
    do throws(ProofFailure) {
      verified = try ContainerProof.verify(bytes, as: format, reducedTo: side)
    } catch {
      throw .unverified(what: error.what)
    }
    guard verified.width == width, verified.height == height else {
      throw .unverified(what: "size")
    }
    guard verified.frameCount == frames else { throw .unverified(what: "frames") }
    return verified
  }

  /// Returns whether each byte of a product belongs to the picture.
  static func accepts(_ bytes: [UInt8], as format: ImageFormat) -> Bool {
    (try? ContainerProof.verify(bytes, as: format)) != nil
  }

  /// Verifies a preview, whose size only has a bound.
  static func verify(
    preview encoded: [UInt8], format: ImageFormat, side: Int
  ) throws(PhotoError) -> EncodedPicture {
    let bytes = try clean(encoded, as: format)
    let facts: ImageFacts
    do throws(ContainerError) {
      facts = try ImageContainer.parse(bytes, as: format)
    } catch {
      throw .fault(.previewStructure)
    }
    guard max(facts.storedWidth, facts.storedHeight) <= side else { throw .fault(.previewSize) }
    return try verify(
      bytes, format: format, width: facts.storedWidth, height: facts.storedHeight,
      frames: 1
    ).0
  }

  /// Takes out what an encoder adds on its own, such as a resolution. The data of a PNG is left to the
  /// proof: an encoder hides nothing there.
  static func clean(_ encoded: [UInt8], as format: ImageFormat) throws(PhotoError) -> [UInt8] {
    do throws(ContainerError) {
      guard format == .png else {
        return try ImageContainer.clean(encoded, as: format, limits: .unbounded)
      }
      return try ImageContainer.parseAndClean(
        encoded, as: format, limits: .unbounded, readingData: false
      ).clean
    } catch {
      throw .fault(.encoderStructure)
    }
  }
}
