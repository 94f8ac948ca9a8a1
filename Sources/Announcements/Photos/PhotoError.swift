public import ImageContainers

/// Every error of preparing a photo; the errors of storing it are in `StoreError`. The values are facts, never sentences, which are made in the reader's language
/// where they are shown; `facts` says what surfaces do with each.
public enum PhotoError: Error, Sendable, Equatable, Codable {
  /// The file is none of the five formats; `detected` is its media type, or the word for a coding
  /// inside a known container that we do not take (`av01`, `jpeg-lossless`).
  case unsupportedFormat(detected: String)
  /// The file has no byte.
  case empty
  /// The file is damaged; `what` is a stable word for the place, such as `png-chunk-crc`.
  case corrupt(what: String)
  /// Not every pixel of the file's picture can be decoded; its code is that of a damaged file. `what` is
  /// a stable word for the place; `percentShown` is the share of rows, counted from the top, that can be,
  /// nil when what is missing isn't simply the lower part.
  case incomplete(what: String, percentShown: Int?)
  /// Pixels of a frame or along a side exceed the limit.
  case tooManyPixels(ContainerLimit, actual: Int, limit: Int)
  /// Another limit is exceeded.
  case tooLarge(ContainerLimit, actual: Int, limit: Int)
  /// The input cannot be read.
  case unreadable(UnreadableReason)
  /// The machine, or a limit of this process, has none left: descriptors, processes, memory.
  case shortage(errno: Int32)
  /// The person or the system asked us to stop.
  case cancelled
  /// Work on one photo took longer than allowed.
  case timeout(seconds: Int)
  /// PetSpot or this machine is at fault; nothing was stored.
  case fault(Fault)
  /// PetSpot is at fault: the verification refuses a picture that it made. `what` is the word for the
  /// first thing that is no part of the picture.
  case unverified(what: String)

  /// What doesn't work. The raw values are the stable words for JSON and logs.
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

  /// Why an input cannot be read.
  public enum UnreadableReason: Sendable, Equatable, Codable {
    /// `open` or `read` failed with this errno.
    case system(errno: Int32)
    /// It exists but is no regular file: `directory`, `fifo`, `socket`, `device`, `link`.
    case notAFile(kind: String)
    /// It changed while it was read.
    case changed
  }

  /// Who can do something about an error.
  public enum Blame: String, Sendable, Codable {
    /// Another photo is needed.
    case photo
    /// The call has to change.
    case caller
    /// The machine or our code.
    case us
  }
}
