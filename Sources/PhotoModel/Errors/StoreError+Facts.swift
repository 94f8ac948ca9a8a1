extension StoreError {
  /// The code, blame and details of each error.
  package var facts: ErrorFacts {
    switch self {
    case .photo(let error): error.facts
    case .missingPhoto: .init("missing-photo", .caller)
    case .onlyCopies(let photos):
      .init(
        "only-copies", .caller,
        ["count": .number(photos.count), "photos": .texts(Array(photos.prefix(20)))])
    case .storageFull(let operation, let target, let errno):
      .init(
        "storage-full", .us,
        ["operation": .word(operation), "target": .text(target), "errno": .errno(errno)])
    case .storage(let operation, let target, let errno):
      .init(
        "storage", .us,
        ["operation": .word(operation), "target": .text(target), "errno": .errno(errno)])
    case .cacheUnavailable(let target, let errno):
      .init(
        "storage", .us,
        ["operation": .word("open-cache"), "target": .text(target), "errno": .errno(errno)])
    case .unsafeCache(let target, .owner(let user)):
      .init(
        "unsafe-cache", .us,
        ["target": .text(target), "reason": .word("owner"), "user": .user(user)])
    case .unsafeCache(let target, .writableByOthers):
      .init(
        "unsafe-cache", .us,
        ["target": .text(target), "reason": .word("writable-by-others")])
    case .unsafeCache(let target, .notAFile(let kind)):
      .init(
        "unsafe-cache", .us,
        ["target": .text(target), "reason": .word("not-a-file"), "kind": .kind(kind)])
    // A database that cannot be used is caused by the disk, not by our code.
    case .database(let what, let detail):
      .init("database", .us, ["what": .word(what.rawValue), "detail": .text(detail)])
    case .busy(let seconds, let service):
      .init(
        "busy", .us,
        service.map { ["seconds": .number(seconds), "service": .text($0)] }
          ?? ["seconds": .number(seconds)])
    case .overloaded(let service, let detail):
      .init("busy", .us, ["service": .text(service), "detail": .text(detail)])
    case .unreachable(let service, let detail):
      .init("unreachable", .us, ["service": .text(service), "detail": .text(detail)])
    case .serviceFailed(let service, let detail, _):
      .init("storage", .us, ["service": .text(service), "detail": .text(detail)])
    case .backup(let problem, let target):
      .init("backup", .us, ["what": .word(problem.rawValue), "target": .text(target)])
    case .cancelled: PhotoError.cancelled.facts
    case .superseded: .init("interrupted", .caller, ["reason": .word("superseded")])
    case .removed: .init("interrupted", .caller, ["reason": .word("removed")])
    case .fault(let fault): .init("fault", .us, ["what": .word(fault.rawValue)])
    }
  }

  /// The stable identifier for JSON and logs.
  public var code: String { facts.code }

  /// The party at fault.
  public var blame: PhotoError.Blame { facts.blame }
}

extension StoreError: CustomStringConvertible {
  /// The code and the facts, for developers.
  public var description: String { facts.description }
}
