import ImageContainers

/// Stage 5: proves a product as if it came from a stranger: its type, its size, and that each of its
/// bytes belongs to the picture.
enum Prover {
  /// - Parameter side: pixels that the longer side of the small picture keeps at least, where there is
  ///   a choice; nil when none is wanted.
  /// - Returns: the picture, and the same made small where the proof sees pixels.
  /// - Throws: `PhotoError.unverified` when the product breaks the promise.
  static func prove(
    _ bytes: [UInt8], format: ImageFormat, width: Int, height: Int, frames: Int,
    reducedTo side: Int? = nil
  ) throws(PhotoError) -> (EncodedPicture, reduced: SmallPicture?) {
    let proved = try account(
      for: bytes, format: format, width: width, height: height, frames: frames, reducedTo: side)
    let picture = EncodedPicture(
      bytes: bytes, format: format, pixelWidth: width, pixelHeight: height, frameCount: frames,
      sha256: sha256(of: bytes))
    return (
      picture,
      proved.reduced.map {
        SmallPicture(pixels: $0.samples, width: $0.width, height: $0.height, bands: $0.bands)
      }
    )
  }

  /// Accounts for each byte of a product as `prove` does, and makes nothing of it.
  ///
  /// - Throws: as `prove`.
  @discardableResult
  static func account(
    for bytes: [UInt8], format: ImageFormat, width: Int, height: Int, frames: Int,
    reducedTo side: Int? = nil
  ) throws(PhotoError) -> ProvedPicture {
    let proved: ProvedPicture
    do throws(ProofFailure) {
      proved = try ContainerProof.account(for: bytes, as: format, reducedTo: side)
    } catch {
      throw .unverified(what: error.what)
    }
    guard proved.width == width, proved.height == height else {
      throw .unverified(what: "size")
    }
    guard proved.frameCount == frames else { throw .unverified(what: "frames") }
    return proved
  }

  /// Whether each byte of a product belongs to the picture.
  static func accepts(_ bytes: [UInt8], as format: ImageFormat) -> Bool {
    (try? ContainerProof.account(for: bytes, as: format)) != nil
  }

  /// Proves a preview, whose size only has a bound.
  static func prove(
    preview encoded: [UInt8], format: ImageFormat, side: Int
  ) throws(PhotoError) -> EncodedPicture {
    let bytes = try clean(encoded, as: format)
    let facts: ImageFacts
    do throws(ContainerError) {
      facts = try ImageContainer.walk(bytes, as: format)
    } catch {
      throw .fault(.previewStructure)
    }
    guard max(facts.storedWidth, facts.storedHeight) <= side else {
      throw .fault(.previewSize)
    }
    return try prove(
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
      return try ImageContainer.walkAndClean(
        encoded, as: format, limits: .unbounded, readingData: false
      ).clean
    } catch {
      throw .fault(.encoderStructure)
    }
  }
}
