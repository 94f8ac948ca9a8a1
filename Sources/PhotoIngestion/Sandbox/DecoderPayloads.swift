import Foundation
import ImageContainers

/// What a worker is asked to do with the bytes that are sent along.
package struct DecoderRequest: Codable {
  var work: Work
  var policy: PhotoPolicy

  enum Work: Codable {
    /// Stages 1 to 3, and what of the data can stay.
    case inspect
    /// Stages 1 to 4: blob and preview.
    case prepare(CleaningDepth)
    /// The preview of a picture that is small already, as samples.
    case preview(width: Int, height: Int, bands: Int)
    /// Pixels to draw, or those of a HEIC original as libde265 decodes it.
    case raster(ImageFormat, side: Int)
    /// A size of a blob of this many pixels.
    case size(SizeForm, ImageFormat, width: Int, height: Int)
    /// The digest of a stored picture's pixels.
    case pixelDigest(ImageFormat)
  }
}

struct StageReport: Codable {
  var stage: PhotoStage
  /// Pixels of all frames, 0 before the file is parsed.
  var pixels: Int
  /// Bits of a sample.
  var bitDepth = 8
}

/// What a sandboxed worker reports once.
struct WorkerReady: Codable {
  var report: DecoderReport
  /// Why it refuses to work, nil when it does.
  var problem: PhotoError.Fault?
  /// Bytes of address space it may have: fewer than the limit where its user may have fewer.
  var memoryBytes: Int
  /// Digest of the code that runs in it, see `LoadedCode`.
  var codeDigest: String
}

struct DecoderRefusal: Codable {
  var error: PhotoError
  /// What it took to find out.
  var times: StageTimes
}

/// The JSON of an answer.
struct DecoderReply: Codable {
  var facts: DecoderAnswer.Facts
  /// What it took.
  var times: StageTimes
}

/// The JSON dialect of the socket: gamma values may be infinite.
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
