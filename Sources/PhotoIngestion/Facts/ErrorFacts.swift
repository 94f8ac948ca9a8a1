import ImageContainers
import Glibc
import SystemPackage

/// The facts of an error that the command line, the API and the pages use in addition to its message.
package struct ErrorFacts: Sendable {
  /// The stable identifier for JSON and logs.
  package var code: String
  /// The party that can do something about the error.
  package var blame: PhotoError.Blame
  /// The exit code of a command that fails with it (sysexits; 130 for an interruption).
  package var exitCode: Int32
  /// The HTTP status of a response.
  package var status: Int
  /// Further facts under stable keys. The name of a limit defines the unit of its size: pixels, frames, bytes or
  /// seconds.
  package var details: KeyValuePairs<String, Detail>

  /// A fact of one error.
  package enum Detail: Encodable, Sendable, Equatable {
    case text(String)
    case texts([String])
    case number(Int)
    case unknown

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
  /// The code and the details, for developers. ReportFlow's `message(in:)` returns the text for people.
  package var description: String {
    let texts = details.compactMap { key, detail -> String? in
      switch detail {
      // The `errno` gives the reason.
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
  /// The code, exit status, HTTP status and details of each error.
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

  /// The stable identifier for JSON and logs.
  public var code: String { facts.code }

  /// The party at fault.
  public var blame: Blame { facts.blame }
}

extension PhotoError.Fault {
  fileprivate var exitCode: Int32 {
    switch self {
    // This machine can't decode any photo, or can't decode one of the formats.
    case .decoderStart, .decoderStack, .foreignLoader, .heifLoader, .sandboxLandlock,
      .sandboxSeccomp, .sandboxThreads:
      69
    // A retry can succeed, after this process got a higher limit or because nothing kills the decoder this time.
    case .decoderKilled, .sandboxLimits: 75
    default: 70
    }
  }
}

extension PhotoError {
  /// The HTTP status for this error.
  public var httpStatus: Int { facts.status }
}

extension PhotoError: CustomStringConvertible {
  /// The code and the facts, for developers.
  public var description: String { facts.description }
}
