import Glibc

/// A decoder for WebPs that works as browsers do: with libwebp's incremental decoder, one frame at a time.
package enum IncrementalWebP {
  /// Returns the index of the first frame that the decoder rejects or waits for more data of; `nil` if it decodes all
  /// of them.
  ///
  /// - Parameter count: the number of bytes to give to the decoder at once; `nil` for all of them.
  package static func firstRefusedFrame(of file: [UInt8], inPiecesOf count: Int? = nil) -> Int? {
    frames(of: file).firstIndex { !decodes($0, count ?? $0.count) }
  }

  /// Returns each frame as a file of its own.
  private static func frames(of file: [UInt8]) -> [[UInt8]] {
    let frames = chunks(file[12...]).filter { $0.name == "ANMF" }
    guard !frames.isEmpty else { return [file] }
    return frames.map { frame in
      let pictures = chunks(frame.payload.dropFirst(16))
      var body = Array("WEBP".utf8)
      if pictures.contains(where: { $0.name == "ALPH" }) {
        // The canvas has the size of the frame, which follows its position.
        let size = frame.payload.dropFirst(6).prefix(6)
        body += Array("VP8X".utf8) + [10, 0, 0, 0, 0x10, 0, 0, 0] + size
      }
      for picture in pictures { body += picture.whole }
      return Array("RIFF".utf8) + (0..<4).map { UInt8(body.count >> (8 * $0) & 255) } + body
    }
  }

  private typealias Chunk = (name: String, payload: ArraySlice<UInt8>, whole: ArraySlice<UInt8>)

  private static func chunks(_ bytes: ArraySlice<UInt8>) -> [Chunk] {
    var chunks: [Chunk] = []
    var rest = bytes
    while rest.count >= 8 {
      let name = String(decoding: rest.prefix(4), as: UTF8.self)
      let size = rest.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      let whole = rest.prefix(8 + size + size % 2)
      chunks.append((name, whole.dropFirst(8).prefix(size), whole))
      rest = rest.dropFirst(whole.count)
    }
    return chunks
  }

  private static func decodes(_ file: [UInt8], _ count: Int) -> Bool {
    guard let decoder = library.make(nil) else { return false }
    defer { library.delete(decoder) }
    var status: Int32 = 5  // VP8_STATUS_SUSPENDED: the decoder waits for more data
    for start in stride(from: 0, to: file.count, by: count) where status == 5 {
      let piece = Array(file[start..<min(start + count, file.count)])
      status = library.append(decoder, piece, piece.count)
    }
    return status == 0
  }

  /// Three functions of libwebp's `decode.h`.
  private struct Library: Sendable {
    let make: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let append: @convention(c) (OpaquePointer, UnsafePointer<UInt8>, Int) -> Int32
    let delete: @convention(c) (OpaquePointer) -> Void

    init() {
      let handle = dlopen("libwebp.so.7", RTLD_NOW)
      func function<F>(_ name: String, as type: F.Type) -> F {
        guard let handle, let symbol = dlsym(handle, name) else {
          fatalError("libwebp.so.7 has no \(name)")  // no test can run without it
        }
        return unsafeBitCast(symbol, to: type)
      }
      make = function(
        "WebPINewDecoder", as: (@convention(c) (OpaquePointer?) -> OpaquePointer?).self)
      append = function(
        "WebPIAppend",
        as: (@convention(c) (OpaquePointer, UnsafePointer<UInt8>, Int) -> Int32).self)
      delete = function("WebPIDelete", as: (@convention(c) (OpaquePointer) -> Void).self)
    }
  }

  private static let library = Library()
}
