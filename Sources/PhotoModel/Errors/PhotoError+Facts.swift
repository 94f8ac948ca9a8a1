import ImageContainers

extension PhotoError {
  /// The code, blame and details of each error.
  package var facts: ErrorFacts {
    switch self {
    case .unsupportedFormat(let detected):
      .init("unsupported-format", .photo, ["detected": .media(detected)])
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
        "too-large", .photo,
        ["what": .word(what.rawValue), "limit": .number(limit), "actual": .number(actual)])
    case .unreadable(.system(let errno)):
      .init("unreadable", .caller, ["reason": .word("system"), "errno": .errno(errno)])
    case .unreadable(.notAFile(let kind)):
      .init("unreadable", .caller, ["reason": .word("not-a-file"), "kind": .kind(kind)])
    case .unreadable(.changed): .init("unreadable", .caller, ["reason": .word("changed")])
    case .shortage(let errno): .init("shortage", .us, ["errno": .errno(errno)])
    case .cancelled: .init("interrupted", .caller)
    case .timeout(let seconds): .init("timeout", .photo, ["seconds": .number(seconds)])
    case .fault(let fault): .init("fault", .us, ["what": .word(fault.rawValue)])
    case .unverified(let what): .init("fault", .us, ["what": .word("product-" + what)])
    }
  }

  /// The stable identifier for JSON and logs.
  public var code: String { facts.code }

  /// The party at fault.
  public var blame: Blame { facts.blame }
}

extension PhotoError: CustomStringConvertible {
  /// The code and the facts, for developers.
  public var description: String { facts.description }
}
