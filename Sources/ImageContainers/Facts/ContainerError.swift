/// The problem of a rejected file. The associated values are facts; the sentences are made where people read them.
public enum ContainerError: Error, Sendable, Equatable {
  /// The bytes end at `offset` inside a structure that must be complete.
  case truncated(_ structure: String, offset: Int)
  /// The structure breaks a rule of its format. `problem` is a stable word, such as `png-chunk-crc`.
  case malformed(_ problem: String, offset: Int)
  /// The structure is sound, but some pixels can't be decoded. `problem` is a stable word, such as `jpeg-data`.
  /// `percentShown` is the share of rows, counted from the top and rounded down, that can be decoded; it is `nil` if
  /// the missing part isn't simply the bottom.
  case incomplete(_ problem: String, percentShown: Int?)
  /// The file exceeds a limit that protects the machine.
  case overLimit(ContainerLimit, actual: Int, allowed: Int)
  /// The container is sound, but its kind of picture isn't supported, such as `av01` in HEIF or lossless JPEG.
  case unsupported(_ kind: String)
}

extension ContainerError {
  /// Returns the error for a picture of which only the first `shown` of `total` rows or pixels can be decoded. In an
  /// interlaced picture, these are spread over the whole picture.
  static func incomplete(
    _ problem: String, shown: Int, of total: Int, isInterlaced: Bool = false
  ) -> ContainerError {
    .incomplete(
      problem, percentShown: isInterlaced ? nil : max(0, min(99, shown * 100 / max(1, total))))
  }
}

/// The limits that a file can exceed, with their names in messages and logs. This module doesn't check the last two;
/// the code that reads and decodes the file does.
public enum ContainerLimit: String, Sendable, Equatable, CaseIterable, Codable {
  /// The pixels of one frame (width times height).
  case pixels
  /// The pixels along the longer side.
  case side
  /// The scans of a JPEG (SOS markers).
  case scans
  /// The bytes of all JPEG application and comment segments.
  case applicationBytes = "application-bytes"
  /// The chunks of a PNG or WebP, blocks of a GIF or segments of a JPEG.
  case chunks
  /// The bytes of one ancillary PNG chunk.
  case chunkBytes = "chunk-bytes"
  /// The bytes of all ancillary PNG chunks.
  case ancillaryBytes = "ancillary-bytes"
  /// The ISO boxes of a HEIC.
  case boxes
  /// The nesting depth of ISO boxes.
  case boxDepth = "box-depth"
  /// The items of a HEIC.
  case items
  /// The tiles of a HEIC grid.
  case tiles
  /// The bytes of the file.
  case fileBytes = "file-bytes"
  /// The bytes of memory that decoding needs.
  case memory

  /// `true` if the limit counts bytes.
  package var isBytes: Bool {
    switch self {
    case .applicationBytes, .chunkBytes, .ancillaryBytes, .fileBytes, .memory: true
    case .pixels, .side, .scans, .chunks, .boxes, .boxDepth, .items, .tiles: false
    }
  }
}
