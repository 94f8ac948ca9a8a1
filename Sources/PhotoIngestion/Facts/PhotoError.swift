import Glibc
package import ImageContainers

extension PhotoError {
  /// A photo that crashed a decoder.
  package static let decoderCrash = PhotoError.corrupt(what: "decoder-crash")
  /// A photo whose data a decoder refuses.
  static let undecodable = PhotoError.corrupt(what: "decode")

  /// Runs work of the pipeline, whose parts refuse with errors of their own.
  static func mapping<T>(_ work: () throws -> T) throws(PhotoError) -> T {
    do { return try work() } catch { throw PhotoError(any: error) }
  }

  /// An error of the pipeline or of a part of it.
  init(any error: any Error) {
    switch error {
    case let error as PhotoError: self = error
    case let error as ContainerError: self.init(error)
    default: self = .fault(.unexpected)
    }
  }

  /// A container's refusal, in the pipeline's words.
  package init(_ error: ContainerError) {
    switch error {
    case .truncated(let what, _): self = .corrupt(what: "truncated-\(what)")
    case .malformed(let what, _): self = .corrupt(what: what)
    case .incomplete(let what, let percent): self = .incomplete(what: what, percentShown: percent)
    case .unsupported(let what): self = .unsupportedFormat(detected: what)
    case .overLimit(let limit, let actual, let allowed):
      switch limit {
      case .pixels, .side: self = .tooManyPixels(limit, actual: actual, limit: allowed)
      default: self = .tooLarge(limit, actual: actual, limit: allowed)
      }
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
