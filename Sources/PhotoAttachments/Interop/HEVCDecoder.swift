import CDe265
import ImageContainers
import Synchronization

/// Decodes the tiles of an ordinary HEIC with libde265, straight into one RGB picture.
///
/// libheif 1.15 gives the same pixels, but goes through RGB planes and starts two threads a tile;
/// this takes a third of its time, and libde265's warnings tell damaged data, which libheif hides.
enum HEVCDecoder {
  /// - Parameter threads: how many tiles are decoded at a time.
  /// - Returns: red, green and blue of the canvas, row by row; nil when the streams turn out to
  ///   hold something else than 8-bit 4:2:0 with a matrix we know.
  /// - Throws: `PhotoError.corrupt` when a tile does not decode whole and without a warning.
  static func decode(
    _ picture: HEVCPicture, in bytes: UnsafeRawBufferPointer, threads: Int
  ) throws(PhotoError) -> [UInt8]? {
    let outcome = SharedOutcome()
    let rgb = [UInt8](
      unsafeUninitializedCapacity: picture.width * picture.height * 3
    ) { buffer, count in
      // Tiles do not overlap: every part of a row has one writer.
      nonisolated(unsafe) let canvas = buffer
      nonisolated(unsafe) let source = bytes
      let lanes = max(1, min(threads, picture.tiles.count))
      ThreadTeam.run(lanes) { lane in
        for index in stride(from: lane, to: picture.tiles.count, by: lanes) {
          guard outcome.value == .done else { return }
          let result = decodeTile(index, of: picture, in: source, into: canvas)
          if result != .done { outcome.value = result }
        }
      }
      count = outcome.value == .done ? buffer.count : 0
    }
    switch outcome.value {
    case .done: return rgb
    case .unknownKind: return nil
    case .damaged: throw .corrupt(what: "decode")
    }
  }

  private enum TileOutcome: Equatable { case done, unknownKind, damaged }

  /// The first bad end of a tile, for all threads.
  private final class SharedOutcome: Sendable {
    private let state = Mutex(TileOutcome.done)
    var value: TileOutcome {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  private static func decodeTile(
    _ index: Int, of picture: HEVCPicture, in bytes: UnsafeRawBufferPointer,
    into canvas: UnsafeMutableBufferPointer<UInt8>
  ) -> TileOutcome {
    guard let decoder = de265_new_decoder() else { return .damaged }
    defer { de265_free_decoder(decoder) }
    for unit in picture.tiles[index].units {
      let data = UnsafeRawBufferPointer(rebasing: bytes[unit])
      guard de265_push_NAL(decoder, data.baseAddress, Int32(data.count), 0, nil) == DE265_OK else {
        return .damaged
      }
    }
    de265_flush_data(decoder)
    var more: Int32 = 1
    while more != 0 {
      guard de265_decode(decoder, &more) == DE265_OK else { return .damaged }
      guard let image = de265_get_next_picture(decoder) else { continue }
      guard isWhole(decoder) else { return .damaged }
      guard let tile = DecodedTile(image, fileMatrix: picture.tiles[index].matrix) else {
        return .unknownKind
      }
      guard tile.width == picture.tileWidth, tile.height == picture.tileHeight else {
        return .damaged
      }
      let (row, column) = index.quotientAndRemainder(dividingBy: picture.columns)
      tile.paint(
        on: canvas, width: picture.width, height: picture.height,
        left: column * picture.tileWidth, top: row * picture.tileHeight)
      return .done
    }
    return .damaged
  }

  /// Warnings that say nothing of the pixels.
  private static let harmless: Set<de265_error> = [
    DE265_OK, DE265_WARNING_NO_WPP_CANNOT_USE_MULTITHREADING,
    DE265_WARNING_SPS_MISSING_CANNOT_DECODE_SEI,
  ]

  private static func isWhole(_ decoder: UnsafeMutableRawPointer) -> Bool {
    while true {
      let warning = de265_get_warning(decoder)
      if warning == DE265_OK { return true }
      guard harmless.contains(warning) else {
        DecoderLog.note("decode", String(cString: de265_get_error_text(warning)))
        return false
      }
    }
  }
}

extension de265_error: @retroactive Hashable {}

/// The planes of a decoded tile, valid until its decoder is used again.
private struct DecodedTile {
  let width, height: Int
  private let luma, blue, red: UnsafePointer<UInt8>
  private let lumaStride, chromaStride: Int
  private let conversion: YCbCrConversion

  init?(_ image: OpaquePointer, fileMatrix: HEVCPicture.Matrix?) {
    let matrix =
      fileMatrix
      ?? .init(
        coefficients: Int(de265_get_image_matrix_coefficients(image)),
        isFullRange: de265_get_image_full_range_flag(image) != 0)
    guard de265_get_chroma_format(image) == de265_chroma_420,
      (0..<3).allSatisfy({ de265_get_bits_per_pixel(image, $0) == 8 }),
      let conversion = YCbCrConversion(matrix)
    else { return nil }
    var strides: (Int32, Int32, Int32) = (0, 0, 0)
    guard let luma = de265_get_image_plane(image, 0, &strides.0),
      let blue = de265_get_image_plane(image, 1, &strides.1),
      let red = de265_get_image_plane(image, 2, &strides.2), strides.1 == strides.2
    else { return nil }
    self.conversion = conversion
    (self.luma, self.blue, self.red) = (luma, blue, red)
    (lumaStride, chromaStride) = (Int(strides.0), Int(strides.1))
    width = Int(de265_get_image_width(image, 0))
    height = Int(de265_get_image_height(image, 0))
  }

  /// Writes what of the tile lies on the canvas.
  func paint(
    on canvas: UnsafeMutableBufferPointer<UInt8>, width canvasWidth: Int,
    height canvasHeight: Int, left: Int, top: Int
  ) {
    let columns = min(width, canvasWidth - left)
    for y in 0..<min(height, canvasHeight - top) {
      conversion.convert(
        luma: luma + y * lumaStride, blue: blue + (y / 2) * chromaStride,
        red: red + (y / 2) * chromaStride, count: columns,
        into: canvas.baseAddress! + ((top + y) * canvasWidth + left) * 3)
    }
  }
}
