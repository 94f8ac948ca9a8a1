import ImageContainers

/// Stage 5, which verifies a product as if it were untrusted.
///
/// Checks its type, its size, and that each of its bytes belongs to the picture.
enum Verifier {
  /// Verifies a product, and returns it with its digest.
  ///
  /// - Throws: `PhotoError.unverified` if a byte doesn't belong to the picture, or the size or the number of frames is
  ///   wrong.
  static func verify(
    _ bytes: [UInt8], format: ImageFormat, width: Int, height: Int, frames: Int
  ) throws(PhotoError) -> EncodedPicture {
    let verified: VerifiedPicture
    do throws(ProofError) { verified = try ContainerProof.verify(bytes, as: format) } catch {
      throw .unverified(what: error.problem)
    }
    try check(verified, width: width, height: height, frames: frames)
    return EncodedPicture(
      bytes: bytes, format: format, pixelWidth: width, pixelHeight: height, frameCount: frames,
      sha256: sha256(of: bytes))
  }

  /// Verifies the blob of a photo, and replaces unused entries in the tables of a JPEG. Computes no digest.
  ///
  /// - Parameter side: The minimum length of the small picture's longer side in pixels, for formats that allow a
  ///   choice. `nil` if the caller needs no small picture.
  /// - Returns: The blob, and the picture that the proof found in it.
  /// - Throws: `PhotoError.unverified` if the blob fails the checks of `verify`.
  @discardableResult
  static func finish(
    _ blob: [UInt8], format: ImageFormat, width: Int, height: Int, frames: Int,
    reducedTo side: Int? = nil
  ) throws(PhotoError) -> (blob: [UInt8], verified: VerifiedPicture) {
    let finished: (bytes: [UInt8], picture: VerifiedPicture)
    do throws(ProofError) {
      finished = try ContainerProof.finish(blob, as: format, reducedTo: side)
    } catch {
      throw .unverified(what: error.problem)
    }
    try check(finished.picture, width: width, height: height, frames: frames)
    return (finished.bytes, finished.picture)
  }

  private static func check(
    _ verified: VerifiedPicture, width: Int, height: Int, frames: Int
  ) throws(PhotoError) {
    guard verified.width == width, verified.height == height else {
      throw .unverified(what: "size")
    }
    guard verified.frameCount == frames else { throw .unverified(what: "frames") }
  }

  /// Returns `true` if each byte of a product belongs to the picture.
  static func accepts(_ bytes: [UInt8], as format: ImageFormat) -> Bool {
    (try? ContainerProof.verify(bytes, as: format)) != nil
  }

  /// Verifies a preview, whose exact size isn't known in advance.
  ///
  /// - Parameter side: The maximum length of its longer side in pixels.
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
      frames: 1)
  }

  /// Removes metadata that an encoder adds on its own, such as a resolution.
  ///
  /// Doesn't read the data of a PNG, because the proof does that later and our encoder hides nothing there.
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
