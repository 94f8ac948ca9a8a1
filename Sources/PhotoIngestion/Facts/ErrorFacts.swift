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

  /// A fact of one error. Its case is the unit, which decides how sentences show it.
  package enum Detail: Encodable, Sendable, Equatable {
    case text(String)
    case texts([String])
    case number(Int)
    /// A stable word. An error may have its own sentence for it.
    case word(String)
    /// A stable word for a photo's damage.
    case damage(String)
    /// A media type, or the coding inside of a container.
    case media(String)
    /// A stable word for a kind of file, such as `fifo`.
    case kind(String)
    /// The percentage of a damaged photo's rows that can be shown, if the missing part is simply its bottom.
    case shown(Int?)
    /// The number of a system error.
    case errno(Int32)
    /// The number of a user.
    case user(Int)
    case unknown

    /// The detail without its unit.
    package var plain: Self {
      switch self {
      case .word(let text), .damage(let text), .media(let text), .kind(let text): .text(text)
      case .shown(let percent): percent.map(Self.number) ?? .unknown
      case .errno(let number): .number(Int(number))
      case .user(let number): .number(number)
      case .text, .texts, .number, .unknown: self
      }
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch plain {
      case .text(let text): try container.encode(text)
      case .texts(let texts): try container.encode(texts)
      case .number(let number): try container.encode(number)
      default: try container.encodeNil()
      }
    }
  }

  /// Creates facts. By default, the exit code and the status follow from the blame.
  package init(
    _ code: String, _ blame: PhotoError.Blame, exit exitCode: Int32? = nil, status: Int? = nil,
    _ details: KeyValuePairs<String, Detail> = [:]
  ) {
    self.code = code
    self.blame = blame
    self.exitCode = exitCode ?? (blame == .photo ? 65 : blame == .caller ? 66 : 74)
    self.status = status ?? (blame == .photo ? 422 : 500)
    self.details = details
  }
}

extension ErrorFacts: CustomStringConvertible {
  /// The code and the details, for developers. ReportFlow's `message(in:)` returns the text for people.
  package var description: String {
    let texts = details.compactMap { key, detail -> String? in
      switch (detail, detail.plain) {
      // The `errno` gives the reason.
      case (.word("system"), _) where key == "reason": nil
      case (.errno(let number), _): "\(Errno(rawValue: number))"
      case (_, .text(let text)): text
      case (_, .texts(let texts)): texts.joined(separator: " ")
      case (_, .number(let number)): "\(key) \(number)"
      default: nil
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
      .init("unsupported-format", .photo, status: 415, ["detected": .media(detected)])
    case .empty: .init("empty", .photo)
    case .corrupt(let what): .init("corrupt", .photo, ["what": .damage(what)])
    case .incomplete(let what, let percent):
      .init("corrupt", .photo, ["what": .word(what), "percentShown": .shown(percent)])
    case .tooManyPixels(let what, let actual, let limit):
      .init(
        "too-many-pixels", .photo,
        ["what": .word(what.rawValue), "limit": .number(limit), "actual": .number(actual)])
    case .tooLarge(let what, let actual, let limit):
      .init(
        "too-large", .photo, status: what == .fileBytes ? 413 : 422,
        ["what": .word(what.rawValue), "limit": .number(limit), "actual": .number(actual)])
    case .unreadable(.system(let errno)):
      .init("unreadable", .caller, ["reason": .word("system"), "errno": .errno(errno)])
    case .unreadable(.notAFile(let kind)):
      .init("unreadable", .caller, ["reason": .word("not-a-file"), "kind": .kind(kind)])
    case .unreadable(.changed): .init("unreadable", .caller, ["reason": .word("changed")])
    case .shortage(let errno):
      .init("shortage", .us, exit: 75, status: 503, ["errno": .errno(errno)])
    case .cancelled: .init("interrupted", .caller, exit: 130, status: 503)
    case .timeout(let seconds): .init("timeout", .photo, ["seconds": .number(seconds)])
    case .fault(let fault):
      .init(
        "fault", .us, exit: fault.exitCode, status: fault == .decoderKilled ? 503 : 500,
        ["what": .word(fault.rawValue)])
    case .unverified(let what): .init("fault", .us, exit: 70, ["what": .word("product-" + what)])
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
