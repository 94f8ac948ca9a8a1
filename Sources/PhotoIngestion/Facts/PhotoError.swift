import Glibc
public import ImageContainers
import SystemPackage

/// Every error of preparing a photo; the errors of storing it are in `StoreError` of
/// PhotoAttachments. The values are facts, never sentences, which are made in the reader's language
/// where they are shown.
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
  /// Another limit is exceeded: `what` is a `ContainerLimit` or `file-bytes`, `memory`.
  case tooLarge(what: String, actual: Int, limit: Int)
  /// The input cannot be read.
  case unreadable(UnreadableReason)
  /// The machine, or a limit of this process, has none left: descriptors, processes, memory.
  case shortage(errno: Int32)
  /// The person or the system asked us to stop.
  case cancelled
  /// Work on one photo took longer than allowed.
  case timeout(seconds: Int)
  /// PetSpot is at fault: a promise doesn't hold; nothing was stored. `what` is a stable word.
  case fault(what: String)

  /// Why an input cannot be read.
  public enum UnreadableReason: Sendable, Equatable, Codable {
    /// `open` or `read` failed with this errno.
    case system(errno: Int32)
    /// It exists but is no regular file: `directory`, `fifo`, `socket`, `device`, `link`.
    case notAFile(kind: String)
    /// It changed while it was read.
    case changed
  }

  /// The stable word for JSON and logs.
  public var code: String {
    switch self {
    case .unsupportedFormat: "unsupported-format"
    case .empty: "empty"
    case .corrupt, .incomplete: "corrupt"
    case .tooManyPixels: "too-many-pixels"
    case .tooLarge: "too-large"
    case .unreadable: "unreadable"
    case .shortage: "shortage"
    case .cancelled: "interrupted"
    case .timeout: "timeout"
    case .fault: "fault"
    }
  }

  /// Whose fault it is; picks exit code and HTTP status.
  public var blame: Blame {
    switch self {
    case .unsupportedFormat, .empty, .corrupt, .incomplete, .tooManyPixels, .tooLarge,
      .timeout:
      .photo
    case .unreadable, .cancelled: .caller
    case .shortage, .fault: .us
    }
  }

  /// Who can do something about an error.
  public enum Blame: String, Sendable {
    /// Another photo is needed.
    case photo
    /// The call has to change.
    case caller
    /// The machine or our code.
    case us
  }

  /// A container's refusal, in the pipeline's words.
  public init(_ error: ContainerError) {
    switch error {
    case .truncated(let what, _): self = .corrupt(what: "truncated-\(what)")
    case .malformed(let what, _): self = .corrupt(what: what)
    case .incomplete(let what, let percent): self = .incomplete(what: what, percentShown: percent)
    case .unsupported(let what): self = .unsupportedFormat(detected: what)
    case .overLimit(let limit, let actual, let allowed):
      switch limit {
      case .pixels, .side: self = .tooManyPixels(limit, actual: actual, limit: allowed)
      default: self = .tooLarge(what: limit.rawValue, actual: actual, limit: allowed)
      }
    }
  }
}

extension PhotoError: CustomStringConvertible {
  /// The code and the facts, for a developer. Sentences for people are made by `message(in:)` of ReportFlow.
  public var description: String {
    switch self {
    case .empty, .cancelled: code
    case .unsupportedFormat(let what), .corrupt(let what), .fault(let what),
      .unreadable(.notAFile(let what)):
      "\(code): \(what)"
    case .incomplete(let what, let percent):
      "\(code): \(what)" + (percent.map { ", \($0) % of the rows are whole" } ?? "")
    case .tooManyPixels(let what, let actual, let limit):
      "\(code): \(what.rawValue) \(actual), limit \(limit)"
    case .tooLarge(let what, let actual, let limit): "\(code): \(what) \(actual), limit \(limit)"
    case .unreadable(.system(let errno)), .shortage(let errno): "\(code): \(Errno(rawValue: errno))"
    case .unreadable(.changed): "\(code): changed while it was read"
    case .timeout(let seconds): "\(code) after \(seconds) s"
    }
  }
}

extension PhotoError {
  /// A failed system call that the machine, or a limit, has nothing left for; nil for any other.
  package init?(shortage code: Int32) {
    guard [EMFILE, ENFILE, ENOMEM].contains(code) else { return nil }
    self = .shortage(errno: code)
  }
}
