import Glibc
package import ImageContainers

extension PhotoError {
  /// The error for a photo that crashed a decoder.
  package static let decoderCrash = PhotoError.corrupt(what: "decoder-crash")
  /// The error for a photo whose data a decoder refuses.
  static let undecodable = PhotoError.corrupt(what: "decode")

  /// Runs a closure and converts its errors to `PhotoError`.
  static func mapping<T>(_ work: () throws -> T) throws(PhotoError) -> T {
    do { return try work() } catch { throw PhotoError(any: error) }
  }

  /// Converts an error of the pipeline or one of its parts.
  init(any error: any Error) {
    switch error {
    case let error as PhotoError: self = error
    case let error as ContainerError: self.init(error)
    default: self = .fault(.unexpected)
    }
  }

  /// Converts a container's error.
  package init(_ error: ContainerError) {
    switch error {
    case .truncated(let structure, _): self = .corrupt(what: "truncated-\(structure)")
    case .malformed(let problem, _): self = .corrupt(what: problem)
    case .incomplete(let problem, let percent):
      self = .incomplete(what: problem, percentShown: percent)
    case .unsupported(let kind): self = .unsupportedFormat(detected: kind)
    case .overLimit(let limit, let actual, let allowed):
      switch limit {
      case .pixels, .side: self = .tooManyPixels(limit, actual: actual, limit: allowed)
      default: self = .tooLarge(limit, actual: actual, limit: allowed)
      }
    }
  }
}

extension PhotoError {
  /// Creates the error for a failed system call if a resource of the machine, or a limit, is exhausted. `nil` for any
  /// other `errno`.
  package init?(shortage code: Int32) {
    guard [EMFILE, ENFILE, ENOMEM].contains(code) else { return nil }
    self = .shortage(errno: code)
  }
}
