import ImageContainers
import PhotoAttachments
import SystemPackage
import PhotoIngestion

extension StoreError {
  /// `{"error":{"code","message","path",…facts}}`; without `path` when no file is concerned.
  func json(path: FilePath?) -> JSON {
    var members = [
      JSON.Member(key: "code", value: .string(code)),
      JSON.Member(key: "message", value: .string(sentence(about: path))),
    ]
    if let path {
      members.append(JSON.Member(key: "path", value: .string(DisplayText.verbatim(path))))
    }
    return ["error": .object(members + facts)]
  }

  /// The payload under stable keys.
  var facts: [JSON.Member] {
    let facts: KeyValuePairs<String, JSON> =
      switch self {
      case .photo(let error): error.facts
      case .storageFull(let operation, let target, let errno),
        .storage(let operation, let target, let errno):
        [
          "operation": .string(operation), "target": .string(target), "errno": .int(Int(errno)),
        ]
      case .cacheUnavailable(let target, let errno):
        ["operation": "open-cache", "target": .string(target), "errno": .int(Int(errno))]
      case .unsafeCache(let target, let reason):
        switch reason {
        case .owner(let user): ["target": .string(target), "reason": "owner", "user": .int(user)]
        case .writableByOthers: ["target": .string(target), "reason": "writable-by-others"]
        case .notAFile(let kind):
          ["target": .string(target), "reason": "not-a-file", "kind": .string(kind)]
        }
      case .database(let what, let detail):
        ["what": .string(what.rawValue), "detail": .string(detail)]
      case .fault(let what): ["what": .string(what.rawValue)]
      case .busy(let seconds, nil): ["seconds": .int(seconds)]
      case .busy(let seconds, let service?):
        ["seconds": .int(seconds), "service": .string(service)]
      case .unreachable(let service, let detail), .overloaded(let service, let detail),
        .serviceFailed(let service, let detail):
        ["service": .string(service), "detail": .string(detail)]
      case .superseded: ["reason": "superseded"]
      case .removed: ["reason": "removed"]
      case .missingPhoto, .cancelled: [:]
      }
    return facts.map { JSON.Member(key: $0.key, value: $0.value) }
  }
}

extension PhotoError {
  /// The payload under stable keys; sizes in pixels, frames, bytes or seconds as the limit's name
  /// says.
  fileprivate var facts: KeyValuePairs<String, JSON> {
    switch self {
    case .unsupportedFormat(let detected): ["detected": .string(detected)]
    case .corrupt(let what), .fault(let what): ["what": .string(what)]
    case .incomplete(let what, let percent):
      ["what": .string(what), "percentShown": percent.map(JSON.int) ?? .null]
    case .tooManyPixels(let what, let actual, let limit):
      ["what": .string(what.rawValue), "limit": .int(limit), "actual": .int(actual)]
    case .tooLarge(let what, let actual, let limit):
      ["what": .string(what), "limit": .int(limit), "actual": .int(actual)]
    case .unreadable(.system(let errno)): ["reason": "system", "errno": .int(Int(errno))]
    case .unreadable(.notAFile(let kind)): ["reason": "not-a-file", "kind": .string(kind)]
    case .unreadable(.changed): ["reason": "changed"]
    case .shortage(let errno): ["errno": .int(Int(errno))]
    case .timeout(let seconds): ["seconds": .int(seconds)]
    case .empty, .cancelled: [:]
    }
  }
}
