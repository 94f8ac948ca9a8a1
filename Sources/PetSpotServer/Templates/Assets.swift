import CZlib
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoIngestion

/// Styles, scripts and icons. They stay in memory and have URLs that change with their content.
enum Assets {
  private struct Asset {
    let bytes: Data
    let packed: Data?
    let type, name: String
  }

  private static let types = [
    "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml; charset=utf-8", "png": "image/png", "ico": "image/x-icon",
  ]

  private static let byFile: [String: Asset] = {
    var assets: [String: Asset] = [:]
    for (ending, type) in types {
      for file in Resources.files(ending: ending) {
        guard let source = try? Data(contentsOf: file) else { continue }
        let bytes = ending == "js" ? withoutComments(source) : source
        let stem = file.deletingPathExtension().lastPathComponent
        let name = "\(stem)-\(sha256(of: Array(bytes)).prefix(12)).\(ending)"
        assets[file.lastPathComponent] = Asset(
          bytes: bytes, packed: Gzip.packed(bytes), type: type, name: name)
      }
    }
    return assets
  }()

  /// Removes the lines of a script that contain only a comment, because browsers don't need them.
  static func withoutComments(_ script: Data) -> Data {
    var isInBlock = false
    let lines = String(decoding: script, as: UTF8.self).split(separator: "\n").filter { line in
      let text = line.drop { $0 == " " }
      if text.hasPrefix("/**") { isInBlock = true }
      let isComment = isInBlock || text.hasPrefix("//")
      if isInBlock, let end = text.range(of: "*/") {
        isInBlock = false
        return !text[end.upperBound...].allSatisfy(\.isWhitespace)
      }
      return !isComment
    }
    return Data(lines.joined(separator: "\n").utf8)
  }

  private static let byName = Dictionary(
    byFile.values.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// Reads the files now. Otherwise the first request reads them.
  static func load() { _ = byName }

  /// Returns the URL of a file.
  static func address(_ file: String) -> String { "/assets/" + (byFile[file]?.name ?? file) }

  /// `GET /assets/{name}`
  @Sendable static func sendAsset(_ context: RequestContext) async throws -> Response {
    guard let asset = byName[context.parameter("name")] else { throw ErrorResponse.notFound }
    return answer(asset, context, caching: "public, max-age=31536000, immutable")
  }

  /// Returns a file for a URL that doesn't change with its content.
  static func sendFile(_ file: String, _ context: RequestContext, caching: String) throws
    -> Response
  {
    guard let asset = byFile[file] else { throw ErrorResponse.notFound }
    return answer(asset, context, caching: caching)
  }

  private static func answer(
    _ asset: Asset, _ context: RequestContext, caching: String
  ) -> Response {
    var headers: HTTPFields = [
      .contentType: asset.type, .cacheControl: caching, .vary: "Accept-Encoding",
    ]
    let isPacked = asset.packed != nil && Gzip.isAccepted(context.header(.acceptEncoding) ?? "")
    if isPacked { headers[.contentEncoding] = "gzip" }
    let bytes = isPacked ? asset.packed ?? asset.bytes : asset.bytes
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}

/// The gzip format (RFC 1952).
enum Gzip {
  /// Returns `true` if a client accepts gzip (RFC 9110, 12.5.3).
  static func isAccepted(_ header: String) -> Bool {
    header.split(separator: ",").contains { entry in
      let parts = entry.split(separator: ";").map {
        $0.trimmingCharacters(in: .whitespaces).lowercased()
      }
      let isRefused = parts.dropFirst().contains {
        $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 0) == 0
      }
      return parts.first == "gzip" && !isRefused
    }
  }

  /// Compresses bytes. Returns `nil` if the result isn't smaller.
  static func packed(_ data: Data) -> Data? {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    // 15 bits of window, and 16 for gzip's header.
    guard
      deflateInit2_(
        &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var input = [UInt8](data)
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))))
    let inputCount = UInt32(input.count)
    let outputCount = UInt32(output.count)
    let isComplete = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = inputCount
        stream.next_out = target.baseAddress
        stream.avail_out = outputCount
        return deflate(&stream, Z_FINISH) == Z_STREAM_END
      }
    }
    let count = Int(stream.total_out)
    return isComplete && count < data.count ? Data(output[..<count]) : nil
  }
}
