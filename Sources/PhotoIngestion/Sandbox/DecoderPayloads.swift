import Foundation
import ImageContainers

/// A request to a worker about the bytes that are sent with it.
package struct DecoderRequest: Codable {
  var work: Work
  var policy: PhotoPolicy

  /// The kinds of work, with their parameters.
  enum Work: Codable {
    /// Stages 1 to 3, and a plan of which data can be kept. `decodes` also decodes photos that only decoding can prove
    /// to be whole.
    case inspect(decodes: Bool)
    /// Stages 1 to 4: blob and preview.
    case prepare(CleaningDepth)
    /// The preview of a picture that is already small. The bytes are its samples, not a file.
    case preview(width: Int, height: Int, bands: Int)
    /// The pixels of a `PictureRaster`, decoded from a blob, a preview or a HEIC original. For HEIC, libde265 decodes.
    case raster(ImageFormat, side: Int)
    /// A smaller version of a blob. `width` and `height` are those of the blob.
    case size(SizeForm, ImageFormat, width: Int, height: Int)
    case pixelDigest(ImageFormat)
  }
}

/// The message by which a worker reports that a stage began. The host derives time limits, size limits and the weight
/// of the photo from it.
struct StageReport: Codable {
  var stage: PhotoStage
  /// The number of pixels across all frames. 0 before the file is parsed.
  var pixels: Int
  /// The number of bits per sample.
  var bitDepth = 8
}

/// The report that a worker sends once, when it is sandboxed.
struct WorkerReady: Codable {
  var report: DecoderReport
  /// The reason why the worker refuses to work. `nil` if it works.
  var problem: PhotoError.Fault?
  /// The address space in bytes that the worker may use. It is less than the pool's limit if the operating system's
  /// limit for the user is lower.
  var memoryBytes: Int
  /// The digest of the worker's code. See `LoadedCode`.
  var codeDigest: String
}

/// The message by which a worker refuses a request.
struct DecoderRefusal: Codable {
  var error: PhotoError
  var times: StageTimes
}

/// The JSON of an answer. The pictures follow it as bytes.
struct DecoderReply: Codable {
  var facts: DecoderAnswer.Facts
  var times: StageTimes
}

/// Encodes and decodes the JSON on the socket. Supports infinite numbers because gamma values may be infinite.
enum DecoderJSON {
  static func encode(_ value: some Encodable) throws(PhotoError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do { return [UInt8](try encoder.encode(value)) } catch { throw .fault(.decoderJSON) }
  }

  static func decode<T: Decodable>(_ type: T.Type, from json: [UInt8]) throws(PhotoError) -> T {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do { return try decoder.decode(type, from: Data(json)) } catch {
      throw .fault(.decoderJSON)
    }
  }
}
