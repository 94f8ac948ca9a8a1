import PhotoAttachments
import PhotoIngestion
import SystemPackage

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
    return ["error": .object(members + facts.members)]
  }
}

extension ErrorFacts {
  /// The details as JSON.
  var members: [JSON.Member] {
    details.map { key, detail in
      switch detail {
      case .text(let text): JSON.Member(key: key, value: .string(text))
      case .texts(let texts): JSON.Member(key: key, value: .strings(texts))
      case .number(let number): JSON.Member(key: key, value: .int(number))
      case .unknown: JSON.Member(key: key, value: .null)
      }
    }
  }
}
