import ImageContainers
import Glibc
import SystemPackage

/// What the command line, the API and the pages do with an error, apart from their sentences.
package struct ErrorFacts: Sendable {
  /// The stable word for JSON and logs.
  package var code: String
  /// Who can do something about it.
  package var blame: PhotoError.Blame
  /// The exit code of a command that ends in it (sysexits, 130 for an interruption).
  package var exitCode: Int32
  /// The HTTP status of an answer.
  package var status: Int
  /// What else is known, under stable keys; sizes in pixels, frames, bytes or seconds as the limit's name
  /// says.
  package var details: KeyValuePairs<String, Detail>

  /// A fact of one error.
  package enum Detail: Encodable, Sendable, Equatable {
    case text(String)
    case texts([String])
    case number(Int)
    case unknown

    /// Writes the bare value.
    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .texts(let texts): try container.encode(texts)
      case .number(let number): try container.encode(number)
      case .unknown: try container.encodeNil()
      }
    }
  }

  /// The facts of one case.
  package init(
    _ code: String, _ blame: PhotoError.Blame, exit exitCode: Int32, status: Int,
    _ details: KeyValuePairs<String, Detail> = [:]
  ) {
    self.code = code
    self.blame = blame
    self.exitCode = exitCode
    self.status = status
    self.details = details
  }
}

extension ErrorFacts: CustomStringConvertible {
  /// The code and the details, for a developer. Sentences for people are made by `message(in:)` of
  /// ReportFlow.
  package var description: String {
    let texts = details.compactMap { key, detail -> String? in
      switch detail {
      // The errno beside it says why.
      case .text("system") where key == "reason": nil
      case .text(let text): text
      case .texts(let texts): texts.joined(separator: " ")
      case .number(let number) where key == "errno": "\(Errno(rawValue: Int32(number)))"
      case .number(let number): "\(key) \(number)"
      case .unknown: nil
      }
    }
    return texts.isEmpty ? code : code + ": " + texts.joined(separator: ", ")
  }
}

extension PhotoError {
  /// What surfaces do with each case.
  package var facts: ErrorFacts {
    switch self {
    case .unsupportedFormat(let detected):
      .init("unsupported-format", .photo, exit: 65, status: 415, ["detected": .text(detected)])
    case .empty: .init("empty", .photo, exit: 65, status: 422)
    case .corrupt(let what):
      .init("corrupt", .photo, exit: 65, status: 422, ["what": .text(what)])
    case .incomplete(let what, let percent):
      .init(
        "corrupt", .photo, exit: 65, status: 422,
        ["what": .text(what), "percentShown": percent.map(ErrorFacts.Detail.number) ?? .unknown])
    case .tooManyPixels(let what, let actual, let limit):
      .init(
        "too-many-pixels", .photo, exit: 65, status: 422,
        ["what": .text(what.rawValue), "limit": .number(limit), "actual": .number(actual)])
    case .tooLarge(let what, let actual, let limit):
      .init(
        "too-large", .photo, exit: 65, status: what == .fileBytes ? 413 : 422,
        ["what": .text(what.rawValue), "limit": .number(limit), "actual": .number(actual)])
    case .unreadable(.system(let errno)):
      .init(
        "unreadable", .caller, exit: 66, status: 500,
        ["reason": .text("system"), "errno": .number(Int(errno))])
    case .unreadable(.notAFile(let kind)):
      .init(
        "unreadable", .caller, exit: 66, status: 500,
        ["reason": .text("not-a-file"), "kind": .text(kind)])
    case .unreadable(.changed):
      .init("unreadable", .caller, exit: 66, status: 500, ["reason": .text("changed")])
    case .shortage(let errno):
      .init("shortage", .us, exit: 75, status: 503, ["errno": .number(Int(errno))])
    case .cancelled: .init("interrupted", .caller, exit: 130, status: 503)
    case .timeout(let seconds):
      .init("timeout", .photo, exit: 65, status: 422, ["seconds": .number(seconds)])
    case .fault(let fault):
      .init(
        "fault", .us, exit: fault.exitCode, status: fault == .decoderKilled ? 503 : 500,
        ["what": .text(fault.rawValue)])
    case .unverified(let what):
      .init("fault", .us, exit: 70, status: 500, ["what": .text("product-" + what)])
    }
  }

  /// The stable word for JSON and logs.
  public var code: String { facts.code }

  /// Whose fault it is.
  public var blame: Blame { facts.blame }
}

extension PhotoError.Fault {
  fileprivate var exitCode: Int32 {
    switch self {
    // Nothing, or one format, decodes on this machine as it is.
    case .decoderStart, .decoderStack, .foreignLoader, .heifLoader, .sandboxLandlock,
      .sandboxSeccomp, .sandboxThreads:
      69
    // Works when a limit of this process is raised, or no one kills decoders.
    case .decoderKilled, .sandboxLimits: 75
    default: 70
    }
  }
}

extension PhotoError {
  /// The status of an answer over HTTP that is this error.
  public var httpStatus: Int { facts.status }
}

extension PhotoError: CustomStringConvertible {
  /// The code and the facts, for a developer.
  public var description: String { facts.description }
}
