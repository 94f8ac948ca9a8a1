/// Proves that a cleaned file hides nothing. Reads it as a decoder does, and verifies each of its bytes.
///
/// If a file passes:
/// - A decoder needs every byte for a visible pixel, or for the structure around the data.
/// - Every entry of a table is used, unless the unused entries carry no information (zeros or a standard table).
/// - A JPEG or lossy WebP has no detail that its decoder clamps away (decision 38, `JPEGProofDetail`,
///   `VP8ProofDetail`).
///
/// The proof reads the structure with code of its own, so it finds bytes that the parser and the cleaner overlook. It
/// shares their readers only for Deflate, LZW and the codes of a JPEG: `PNGProofInflate`, `GIFImageData`, `JPEGBits`.
///
/// The proof doesn't check:
/// - samples beyond the edge in partly visible blocks, at most 7 rows and columns in JPEG and 15 in VP8;
/// - in a JPEG, clamped range of a block that shows at least twice as much range, and channels that leave the range
///   only when luma and chroma become a color;
/// - in VP8, pixels that alpha hides, up to two macroblocks beside a visible pixel;
/// - colors under an alpha of 1 to 3 of 255;
/// - a frame with a duration of zero, because browsers show it for a tenth of a second;
/// - the choice among codings that decode alike, such as a literal or a match, or the length of a code;
/// - in WebP, the cases that `WebPProof` lists.
///
/// A person who hides text there on purpose could as well hide it in the visible pixels.
package enum ContainerProof {
  /// Verifies every byte.
  ///
  /// - Parameters:
  ///   - bytes: The whole file from `ImageContainer.clean` or an encoder of the pipeline.
  ///   - format: JPEG, PNG, GIF or WebP. A HEIC always fails, because it's never stored.
  ///   - side: The minimum length of a reduced PNG's longer side in pixels. `nil` for no reduced PNG. A JPEG is always
  ///     reduced to an eighth, which costs nothing.
  /// - Throws: `ProofError` with the first byte that has no use.
  @discardableResult
  package static func verify(
    _ bytes: [UInt8], as format: ImageFormat, reducedTo side: Int? = nil
  ) throws(ProofError) -> VerifiedPicture {
    switch format {
    case .jpeg: try JPEGProof.verify(bytes)
    case .png: try PNGProof.verify(bytes, reducedTo: side)
    case .gif: try GIFProof.verify(bytes)
    case .webp: try WebPProof.verify(bytes)
    case .heic: throw ProofError("heic-product", offset: 0)
    }
  }

  /// Returns the size in pixels that `VerifiedPicture.reduced` will have, computed from the header.
  ///
  /// - Parameters:
  ///   - bytes: The product, or its beginning.
  ///   - format: The format of the product.
  ///   - side: The minimum length of a reduced PNG's longer side in pixels, as for `verify`.
  /// - Returns: `nil` if `reduced` will be `nil`, or the header fails the proof.
  package static func reducedSize(
    of bytes: [UInt8], as format: ImageFormat, reducedTo side: Int? = nil
  ) -> (width: Int, height: Int)? {
    switch format {
    case .jpeg:
      guard let header = try? JPEGProofHeader(bytes), header.isYCbCr else { return nil }
      return ((header.width + 7) / 8, (header.height + 7) / 8)
    case .png: return side.flatMap { PNGProof.reducedSize(of: bytes, side: $0) }
    case .gif, .webp, .heic: return nil
    }
  }
}

extension ContainerProof {
  /// Verifies every byte as `verify` does, and replaces unused entries in the tables of a JPEG.
  ///
  /// Few cameras write tables without unused entries. Only the header changes, so the codes stay as they are.
  ///
  /// - Returns: The file that passes `verify`, and the picture that `verify` returns for it.
  package static func finish(
    _ bytes: [UInt8], as format: ImageFormat, reducedTo side: Int? = nil
  ) throws(ProofError) -> (bytes: [UInt8], picture: VerifiedPicture) {
    guard format == .jpeg else {
      return (bytes, try verify(bytes, as: format, reducedTo: side))
    }
    return try JPEGProof.finish(bytes)
  }

  /// Returns `true` if a JPEG's header has the form of a product's. Otherwise `finish` fails before the data.
  package static func readsHeader(of jpeg: [UInt8]) -> Bool { (try? JPEGProofHeader(jpeg)) != nil }
}

/// A picture that passed the proof. It is upright, in sRGB, with at most 8 bits for each sample.
package struct VerifiedPicture: Sendable, Equatable {
  /// The width in pixels.
  package var width: Int
  /// The height in pixels.
  package var height: Int
  /// The number of frames that a browser plays, 1 for a still picture.
  package var frameCount = 1
  /// A small version for the preview, a by-product of the proof. `nil` if the proof sees no pixels.
  package var reduced: ReducedPicture?
}

/// The problem of a cleaned file that failed the proof.
package struct ProofError: Error, Sendable, Equatable {
  /// A stable word such as `jpeg-unused-table`.
  package var problem: String
  /// The offset of the first byte that has no use.
  package var offset: Int
  /// `true` if bytes are missing that browsers need. Files from older versions of PetSpot may lack them.
  package var isShortage: Bool { problem == "webp-vp8-short" }

  init(_ problem: String, offset: Int) {
    self.problem = problem
    self.offset = offset
  }
}
