import CAVCodec
import Glibc
import ImageContainers
import Synchronization

/// Decodes the tiles of a HEIC with FFmpeg's decoder, directly into one RGB picture.
///
/// libheif 1.15 produces the same pixels. It takes several times as long, because it goes through RGB planes and uses
/// two threads per tile. It also hides a slice that ends before its picture does.
enum HEVCDecoder {
  /// FFmpeg's functions. `nil` if the library is missing. First use opens the library. Only this initializer writes the
  /// value.
  nonisolated(unsafe) private static let library: UnsafeMutablePointer<petspot_avcodec>? = {
    guard VipsRuntime.decodesHEIC.load(ordering: .relaxed) else { return nil }
    let library = UnsafeMutablePointer<petspot_avcodec>.allocate(capacity: 1)
    return petspot_avcodec_load(library) == 0 ? library : nil
  }()

  /// The version of the library, such as `59.37.100`. `nil` if the library is missing. First use opens it.
  static var version: String? {
    guard let number = library?.pointee.version() else { return nil }
    return "\(number >> 16).\(number >> 8 & 255).\(number & 255)"
  }

  /// The result that is made from the samples of a picture.
  enum Product {
    /// The colors, converted to sRGB while a row is in the processor's cache. `nil` leaves them unconverted.
    case colors((any ColorConversion)?)
    case luma
  }

  /// Decodes all tiles of a picture.
  ///
  /// - Parameter threads: the number of tiles that are decoded at a time.
  /// - Returns: the upright picture. `nil` if there is no decoder, the streams contain other samples than declared, or
  ///   the matrix is unknown.
  /// - Throws: `PhotoError.incomplete` if a tile does not decode completely and without an error; `unsupportedFormat`
  ///   if the decoder does not support such streams.
  static func decode(
    _ picture: HEVCPicture, in bytes: UnsafeRawBufferPointer, threads: Int,
    as product: Product = .colors(nil)
  ) throws -> UprightCanvas? {
    guard let lanes = lanes(for: picture, threads: threads) else { return nil }
    return try painted(picture, in: bytes, lanes, as: product)
  }

  /// Decodes like `decode`, but one row of tiles of the upright picture at a time. Never holds the whole picture in
  /// memory.
  ///
  /// - Parameter body: receives the upright strips from top to bottom.
  /// - Returns: `false` where `decode` returns `nil`. `body` may have received some strips by then.
  static func forEachStrip(
    of picture: HEVCPicture, in bytes: UnsafeRawBufferPointer, threads: Int, as product: Product,
    _ body: (borrowing UprightCanvas) throws -> Void
  ) throws -> Bool {
    guard let lanes = lanes(for: picture, threads: threads) else { return false }
    for strip in picture.strips {
      guard let canvas = try painted(strip, in: bytes, lanes, as: product) else { return false }
      try body(canvas)
    }
    return true
  }

  /// Returns a decoder for each thread. `nil` if the library is missing.
  private static func lanes(for picture: HEVCPicture, threads: Int) -> [Lane]? {
    var lanes: [Lane] = []
    for _ in 0..<max(1, min(threads, picture.tiles.count)) {
      guard let lane = Lane(picture) else { return nil }
      lanes.append(lane)
    }
    return lanes
  }

  private static func painted(
    _ picture: HEVCPicture, in bytes: UnsafeRawBufferPointer, _ lanes: [Lane], as product: Product
  ) throws -> UprightCanvas? {
    let outcome = SharedOutcome()
    let canvas = try UprightCanvas(
      width: picture.crop.width, height: picture.crop.height, orientation: picture.orientation
    ) { painter in
      // The bytes are only read, and all threads are joined before the bytes are freed.
      nonisolated(unsafe) let source = bytes
      let painter = copy painter
      OwnThread.perform(min(lanes.count, picture.tiles.count)) { number in
        let lane = lanes[number]
        for index in stride(from: number, to: picture.tiles.count, by: lanes.count) {
          // After a bad tile, still decode those before it. The first bad tile of the picture determines the error,
          // whichever thread finds one first.
          guard outcome.isOpen(to: index) else { return }
          let result = lane.decoder.decode(picture.tiles[index].units, in: source) {
            frame, layout in
            paint(
              (frame, layout), index, of: picture, with: painter, by: &lane.band, &lane.values,
              as: product)
          }
          if result != .done { outcome.recordOutcome(result, of: index) }
        }
      }
      switch outcome.value {
      case .done, .unknownKind: break
      case .damaged: throw PhotoError.incomplete(what: "hevc-tile", percentShown: nil)
      case .beyond: throw PhotoError.unsupportedFormat(detected: "hevc")
      }
    }
    return outcome.value == .done ? canvas : nil
  }

  /// The decoder and buffers of one thread, kept from strip to strip.
  ///
  /// `@unchecked` because only one thread uses each at a time, and all threads are joined before the next strip.
  private final class Lane: @unchecked Sendable {
    let decoder: TileDecoder
    /// Scratch space for rows that cannot be converted in place, and for a row that is not in the common sample format.
    var band: [UInt8]
    var values: [UInt16]

    init?(_ picture: HEVCPicture) {
      guard let decoder = TileDecoder(pixels: picture.tileWidth * picture.tileHeight) else {
        return nil
      }
      self.decoder = decoder
      band = [UInt8](repeating: 0, count: picture.tileWidth * bandHeight * 3)
      values = [UInt16](repeating: 0, count: picture.tileWidth * 3)
    }
  }

  /// The result for a tile: painted, samples other than declared, a stream that FFmpeg doesn't support, or damage.
  fileprivate enum TileOutcome: Equatable { case done, unknownKind, beyond, damaged }

  /// The error of the first tile that has one, shared by all threads.
  fileprivate final class SharedOutcome: Sendable {
    private let first = Mutex((index: Int.max, outcome: TileOutcome.done))

    var value: TileOutcome { first.withLock { $0.outcome } }

    /// Returns `true` if no tile before this one has failed.
    func isOpen(to index: Int) -> Bool { first.withLock { index < $0.index } }

    func recordOutcome(_ outcome: TileOutcome, of index: Int) {
      first.withLock { if index < $0.index { $0 = (index, outcome) } }
    }
  }

  /// The number of rows that are converted at a time, which stay in the processor's cache while they are rotated.
  private static let bandHeight = 32

  /// Paints a decoded tile on the canvas.
  ///
  /// - Parameters:
  ///   - band: scratch space for rows that cannot be converted in place.
  ///   - values: scratch space for a row that is not in the common sample format.
  private static func paint(
    _ frame: (AVFrame, petspot_layout), _ index: Int, of picture: HEVCPicture,
    with painter: UprightCanvas.Painter, by band: inout [UInt8], _ values: inout [UInt16],
    as product: Product
  ) -> TileOutcome {
    guard let frameRows = FrameRows(frame, of: picture, tile: index, as: product) else {
      return .unknownKind
    }
    let width = picture.tileWidth
    let height = picture.tileHeight
    guard frameRows.width == width, frameRows.height == height else { return .damaged }
    let (row, column) = index.quotientAndRemainder(dividingBy: picture.columns)
    let left = column * width - picture.crop.left
    let top = row * height - picture.crop.top
    // Tiles may extend beyond the canvas or lie outside of the crop.
    let columns = max(0, -left)..<max(0, -left, min(width, picture.crop.width - left))
    let rows = max(0, -top)..<max(0, -top, min(height, picture.crop.height - top))
    band.withUnsafeMutableBufferPointer { band in
      let band = band.baseAddress!
      for first in stride(from: rows.lowerBound, to: rows.upperBound, by: bandHeight) {
        let count = min(bandHeight, rows.upperBound - first)
        let isInPlace =
          painter.writableRow(y: top + first + count - 1, x: left, count: width) != nil
        for y in first..<first + count {
          let place = isInPlace ? painter.writableRow(y: top + y, x: left, count: width) : nil
          frameRows.convert(y, into: place ?? band + (y - first) * width * 3, by: &values)
        }
        guard !isInPlace, !columns.isEmpty else { continue }
        painter.paint(
          band + columns.lowerBound * 3, stride: width * 3, width: columns.count, height: count,
          left: left + columns.lowerBound, top: top + first)
      }
    }
    return .done
  }

  /// An FFmpeg decoder that decodes one tile after another.
  private struct TileDecoder: ~Copyable {
    private let library: UnsafeMutablePointer<petspot_avcodec>
    private let state: UnsafeMutablePointer<petspot_decoder_state>
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?

    /// Creates a decoder for pictures of at most this many pixels.
    init?(pixels: Int) {
      guard let library = HEVCDecoder.library else { return nil }
      let state = UnsafeMutablePointer<petspot_decoder_state>.allocate(capacity: 1)
      state.initialize(to: .init(lib: library, errors: 0))
      // Coded pictures are multiples of 8 or 64 pixels and are cropped.
      guard let context = petspot_hevc_open(state, Int64(pixels * 2 + 65_536)) else {
        state.deallocate()
        return nil
      }
      self.library = library
      self.state = state
      self.context = context
      frame = library.pointee.frame_alloc()
    }

    deinit {
      var context = context
      var frame = frame
      library.pointee.free_context(&context)
      library.pointee.frame_free(&frame)
      state.deallocate()
    }

    /// Decodes the NAL units of one picture and passes the frame to `body`.
    func decode(
      _ units: [Range<Int>], in bytes: UnsafeRawBufferPointer,
      _ body: (AVFrame, petspot_layout) -> TileOutcome
    ) -> TileOutcome {
      guard let frame else { return .damaged }
      state.pointee.errors = 0
      // Reset the decoder for the next tile.
      defer { library.pointee.flush_buffers(context) }
      var code = send(units, in: bytes)
      if code == 0 { code = library.pointee.send_packet(context, nil) }
      if code == 0 { code = library.pointee.receive_frame(context, frame) }
      guard code == 0 else { return petspot_is_beyond(code) != 0 ? .beyond : .damaged }
      guard frame.pointee.decode_error_flags == 0, state.pointee.errors == 0,
        frame.pointee.data.0 != nil
      else { return .damaged }
      var layout = petspot_layout()
      guard petspot_layout_of(library, frame.pointee.format, &layout) == 0 else {
        return .unknownKind
      }
      guard petspot_is_painted(frame, layout.bytes) != 0 else { return .damaged }
      return body(frame.pointee, layout)
    }

    /// The number of 0xFF bytes that are added after each slice. If data was lost, the decoder reads on into them, and
    /// takes them for the end of the slice within a block or two. The rest then stays unpainted instead of being filled
    /// with invented pixels. In the last block, the decoder reads them as an endless coefficient and logs an error.
    private static let guardBytes = 1024

    /// Sends the units with start codes (ITU-T H.265, annex B) as one packet.
    ///
    /// - Returns: 0, or FFmpeg's error.
    private func send(_ units: [Range<Int>], in bytes: UnsafeRawBufferPointer) -> Int32 {
      var packet = library.pointee.packet_alloc()
      defer { library.pointee.packet_free(&packet) }
      let size = units.reduce(0) { $0 + 4 + $1.count + Self.guardBytes }
      guard let packet, library.pointee.new_packet(packet, Int32(clamping: size)) == 0 else {
        return -ENOMEM
      }
      var place = UnsafeMutableRawPointer(packet.pointee.data!)
      for unit in units {
        place.storeBytes(of: UInt32(1).bigEndian, as: UInt32.self)
        if !unit.isEmpty {
          (place + 4).copyMemory(from: bytes.baseAddress! + unit.lowerBound, byteCount: unit.count)
        }
        place += 4 + unit.count
        guard !unit.isEmpty, bytes[unit.lowerBound] >> 1 < 32 else { continue }
        place.initializeMemory(as: UInt8.self, repeating: 0xFF, count: Self.guardBytes)
        place += Self.guardBytes
      }
      let written = place - UnsafeMutableRawPointer(packet.pointee.data!)
      library.pointee.shrink_packet(packet, Int32(written))
      return library.pointee.send_packet(context, packet)
    }
  }
}
