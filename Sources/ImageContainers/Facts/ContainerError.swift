/// Why a file was refused. The values are facts; sentences are made where people read them.
public enum ContainerError: Error, Sendable, Equatable {
  /// The bytes end at `offset` in the middle of something that has to be whole.
  case truncated(_ what: String, offset: Int)
  /// The structure breaks a rule of its format. `what` is a stable word such as `png-chunk-crc`.
  case malformed(_ what: String, offset: Int)
  /// The structure is sound, but not every pixel can be decoded. `what` is a stable word such as
  /// `jpeg-data`; `percentShown` says how much of the picture's rows can be, counted from the top and
  /// rounded down, nil when what is missing isn't simply the lower part.
  case incomplete(_ what: String, percentShown: Int?)
  /// A limit that protects the machine is exceeded.
  case overLimit(ContainerLimit, actual: Int, allowed: Int)
  /// The container is sound but holds a kind of picture we do not take, such as `av01` in HEIF
  /// or lossless JPEG.
  case unsupported(_ what: String)
}

extension ContainerError {
  /// Not every pixel can be decoded, but of `total` these from the top on; those of an interlaced picture
  /// lie all over it.
  static func incomplete(
    _ what: String, shown: Int, of total: Int, isInterlaced: Bool = false
  ) -> ContainerError {
    .incomplete(
      what, percentShown: isInterlaced ? nil : max(0, min(99, shown * 100 / max(1, total))))
  }
}

/// The limits that a file can exceed, with their names in messages and logs. The last two belong to who
/// reads and decodes the file.
public enum ContainerLimit: String, Sendable, Equatable, CaseIterable, Codable {
  /// Pixels of one frame (width times height).
  case pixels
  /// Pixels along the longer side.
  case side
  /// Scans of a JPEG (SOS markers).
  case scans
  /// Bytes of JPEG application and comment segments together.
  case applicationBytes = "application-bytes"
  /// Chunks of a PNG or WebP, blocks of a GIF, segments of a JPEG.
  case chunks
  /// Bytes of one ancillary PNG chunk.
  case chunkBytes = "chunk-bytes"
  /// Bytes of all ancillary PNG chunks.
  case ancillaryBytes = "ancillary-bytes"
  /// ISO boxes of a HEIC.
  case boxes
  /// How deep ISO boxes nest.
  case boxDepth = "box-depth"
  /// Items of a HEIC.
  case items
  /// Tiles of a HEIC grid.
  case tiles
  /// Bytes of the file.
  case fileBytes = "file-bytes"
  /// Bytes of memory that decoding takes.
  case memory

  /// Whether it counts bytes.
  package var isBytes: Bool {
    switch self {
    case .applicationBytes, .chunkBytes, .ancillaryBytes, .fileBytes, .memory: true
    case .pixels, .side, .scans, .chunks, .boxes, .boxDepth, .items, .tiles: false
    }
  }
}
