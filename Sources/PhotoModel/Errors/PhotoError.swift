public import ImageContainers

/// An error of preparing a photo. The errors of storing it are in `StoreError`.
///
/// The associated values are facts, never sentences: clients format them in the reader's language. `facts` maps each
/// error to its code and its blame.
public enum PhotoError: Error, Sendable, Equatable, Codable {
  /// The file has none of the five formats. `detected` is its media type, or the word for an unsupported coding inside
  /// a supported container (`av01`, `jpeg-lossless`).
  case unsupportedFormat(detected: String)
  /// The file is empty.
  case empty
  /// The file is damaged. `what` is a stable word for the place, such as `png-chunk-crc`.
  case corrupt(what: String)
  /// Some pixels of the picture cannot be decoded. Its code is that of a damaged file. `what` is a stable word for the
  /// place. `percentShown` is the share of rows, counted from the top, that can be decoded; it is `nil` if the missing
  /// part isn't simply the bottom.
  case incomplete(what: String, percentShown: Int?)
  /// A frame has more pixels than allowed, in total or along a side.
  case tooManyPixels(ContainerLimit, actual: Int, limit: Int)
  /// Another limit is exceeded.
  case tooLarge(ContainerLimit, actual: Int, limit: Int)
  /// The input cannot be read.
  case unreadable(UnreadableReason)
  /// The machine, or a limit of this process, has run out of descriptors, processes or memory.
  case shortage(errno: Int32)
  /// The user or the system requested a stop.
  case cancelled
  /// The work on one photo took longer than allowed.
  case timeout(seconds: Int)
  /// PetSpot or this machine is at fault. Nothing was stored.
  case fault(Fault)
  /// PetSpot is at fault: verification rejected a picture that PetSpot made. `what` is the word for the first thing
  /// that isn't part of the picture.
  case unverified(what: String)

  /// The part that failed. The raw values are the stable words for JSON and logs.
  public enum Fault: String, Sendable, Codable, CaseIterable {
    case decoderAnswer = "decoder-answer"
    case decoderHost = "decoder-host"
    case decoderJSON = "decoder-json"
    case decoderKilled = "decoder-killed"
    case decoderStack = "decoder-stack"
    case decoderStart = "decoder-start"
    case encoderStructure = "encoder-structure"
    case foreignLoader = "foreign-loader"
    case heifLoader = "heif-loader"
    case jpegEncoder = "jpeg-encoder"
    case layerBands = "layer-bands"
    case libmagicDatabase = "libmagic-database"
    case libvipsStart = "libvips-start"
    case previewSize = "preview-size"
    case previewStructure = "preview-structure"
    case sandboxLandlock = "sandbox-landlock"
    case sandboxLimits = "sandbox-limits"
    case sandboxSeccomp = "sandbox-seccomp"
    case sandboxThreads = "sandbox-threads"
    case size
    case stripDepth = "strip-depth"
    case stripRegion = "strip-region"
    case toneMap = "tone-map"
    case unexpected
  }

  /// The reasons why an input cannot be read.
  public enum UnreadableReason: Sendable, Equatable, Codable {
    /// `open` or `read` failed with this errno.
    case system(errno: Int32)
    /// The path exists but isn't a regular file: `directory`, `fifo`, `socket`, `device`, `link`.
    case notAFile(kind: String)
    /// The file changed while it was read.
    case changed
  }

  /// The party that can resolve an error.
  public enum Blame: String, Sendable, Codable {
    /// The person has to choose another photo.
    case photo
    /// The caller has to change the call.
    case caller
    /// The machine or PetSpot's code is at fault.
    case us
  }
}
