/// Checks a cleaned file: reads it as a decoder does and verifies each of its bytes.
///
/// The promise: every byte is read by a decoder on its way to a pixel that is shown, or frames its
/// data; a table holds no entry that nothing uses, unless such entries say nothing (zero, standard).
/// The proof reads structure with code of its own, so that what parser and cleaner overlook is seen. Deflate,
/// LZW and the codes of a JPEG have one reader for all of them: `PNGProofInflate`, `GIFImageData`, `JPEGBits`.
///
/// Detail that the decoder of a JPEG or lossy WebP clamps away is no pixel that is shown (decision 38,
/// `JPEGProofDetail`, `VP8ProofDetail`).
///
/// What it does not look into: samples of partly visible blocks and macroblocks beyond the edge, at most
/// 7 rows and columns in JPEG and 15 in VP8; in a JPEG what a block hides beside at least twice as much
/// that it shows, and channels that leave the range only as luma and chroma become a color; what alpha
/// hides of VP8 up to two macroblocks beside a pixel that is shown; colors under an alpha of 1 to 3 of
/// 255; a frame whose time is zero, which browsers show for a tenth of a second; which of several codings
/// that decode alike was chosen (a literal or a match, a length of code); and in WebP what `WebPProof`
/// lists. A person who hides text there by design could hide it in the visible pixels as well.
package enum ContainerProof {
  /// Verifies every byte.
  ///
  /// - Parameters:
  ///   - bytes: the whole file, as `ImageContainer.clean` or an encoder of the pipeline made it.
  ///   - format: JPEG, PNG, GIF or WebP; a HEIC is never stored.
  ///   - side: pixels that the longer side of a reduced PNG keeps at least; nil for none. A JPEG is
  ///     always reduced to an eighth, which costs nothing.
  /// - Throws: `ProofFailure` with the first byte that has no use.
  @discardableResult
  package static func verify(
    _ bytes: [UInt8], as format: ImageFormat, reducedTo side: Int? = nil
  ) throws(ProofFailure) -> VerifiedPicture {
    switch format {
    case .jpeg: try JPEGProof.verify(bytes)
    case .png: try PNGProof.verify(bytes, reducedTo: side)
    case .gif: try GIFProof.verify(bytes)
    case .webp: try WebPProof.verify(bytes)
    case .heic: throw ProofFailure("heic-product", offset: 0)
    }
  }

  /// Returns the size in pixels that `reduced` will have by what the header says; nil when there
  /// will be none, or the header alone fails the proof.
  ///
  /// - Parameters:
  ///   - bytes: the product, or its beginning.
  ///   - format: what it was made as.
  ///   - side: as for `verify`.
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
  /// Verifies every byte as `verify` does, and replaces table entries of a JPEG that nothing uses.
  ///
  /// Few cameras write tables without such entries. Only the header changes, so no code is written again.
  ///
  /// - Returns: the file that passes `verify`, and what that returns for it.
  package static func finish(
    _ bytes: [UInt8], as format: ImageFormat, reducedTo side: Int? = nil
  ) throws(ProofFailure) -> (bytes: [UInt8], picture: VerifiedPicture) {
    guard format == .jpeg else {
      return (bytes, try verify(bytes, as: format, reducedTo: side))
    }
    return try JPEGProof.finish(bytes)
  }

  /// Returns whether a JPEG's header has the form of a product's, so that `finish` reads its data.
  package static func readsHeader(of jpeg: [UInt8]) -> Bool { (try? JPEGProofHeader(jpeg)) != nil }
}

/// What the proof found in a picture: upright, sRGB, at most 8 bits for each sample.
package struct VerifiedPicture: Sendable, Equatable {
  /// Pixels across.
  package var width: Int
  /// Pixels down.
  package var height: Int
  /// Frames a browser plays, 1 for a still picture.
  package var frameCount = 1
  /// The picture made small by the way, for its preview; nil where the proof does not see pixels.
  package var reduced: ReducedPicture?
}

/// A small version of a large picture, with 8 bits for each sample.
package struct ReducedPicture: Sendable, Equatable {
  /// Pixels across.
  package var width: Int
  /// Pixels down.
  package var height: Int
  /// Samples a pixel: 1 for gray, 3 for red, green and blue.
  package var bands: Int
  /// All samples, row by row.
  package var samples: [UInt8]
}

/// Why a cleaned file failed the proof.
package struct ProofFailure: Error, Sendable, Equatable {
  /// A stable word such as `jpeg-unused-table`.
  package var what: String
  /// The byte that has no use.
  package var offset: Int
  /// Whether bytes are missing that browsers want, where a file of older versions may lack them.
  package var isShortage: Bool { what == "webp-vp8-short" }

  init(_ what: String, offset: Int) {
    self.what = what
    self.offset = offset
  }
}
