import ImageContainers

/// Stage 5: proves a product by walking its bytes, as if it came from a stranger: its type, its
/// size, and that nothing but the picture is in it.
enum Prover {
  /// - Throws: `PhotoError.fault` when the product breaks the promise: that is our own fault.
  static func prove(
    _ bytes: [UInt8], format: ImageFormat, width: Int, height: Int, frames: Int
  ) throws(PhotoError) -> EncodedPicture {
    let facts: ImageFacts
    do throws(ContainerError) {
      facts = try ImageContainer.walk(bytes, as: format, limits: .unbounded)
    } catch {
      throw .fault(what: "product-structure")
    }
    guard facts.parts.isEmpty else { throw .fault(what: "product-not-clean") }
    guard facts.orientation == 1, facts.uprightWidth == width, facts.uprightHeight == height else {
      throw .fault(what: "product-size")
    }
    guard facts.frameCount == frames else { throw .fault(what: "product-frames") }
    guard facts.bitDepth <= 8, facts.colorTag == .untagged || facts.colorTag == .sRGB,
      facts.colorModel != .cmyk
    else { throw .fault(what: "product-color") }
    return EncodedPicture(
      bytes: bytes, format: format, pixelWidth: width, pixelHeight: height, frameCount: frames,
      sha256: sha256(of: bytes))
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
      throw .fault(what: "preview-structure")
    }
    guard max(facts.storedWidth, facts.storedHeight) <= side else {
      throw .fault(what: "preview-size")
    }
    return try prove(
      bytes, format: format, width: facts.storedWidth, height: facts.storedHeight,
      frames: 1)
  }

  /// Takes out what an encoder adds on its own, such as a resolution.
  static func clean(_ encoded: [UInt8], as format: ImageFormat) throws(PhotoError) -> [UInt8] {
    do throws(ContainerError) {
      return try ImageContainer.clean(encoded, as: format, limits: .unbounded)
    } catch {
      throw .fault(what: "encoder-structure")
    }
  }
}
