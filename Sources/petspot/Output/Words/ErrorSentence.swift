import ImageContainers
import ReportFlow
import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

extension PhotoError {
  /// Returns one line in the command's language with the problem, the file, and what to do next.
  func sentence(about path: FilePath?, in words: Words = L10n.words) -> String {
    var values: [String: String] = [:]
    var variant: String?
    switch self {
    case .empty: if path == "-" { variant = "input" }
    case .tooManyPixels(let what, let actual, let allowed),
      .tooLarge(let what, let actual, let allowed):
      let excess = Amounts.excess(actual, over: allowed, of: what)
      values["amount"] = excess.amount
      values["limit"] = excess.limit
    // A folder also needs the permission to enter it.
    case .unreadable: values["mode"] = path?.isFolder == true ? "u+rx" : "u+r"
    case .shortage: if path != nil { variant = "file" }
    // The worker ended before it could report a cause. A small stack limit is the likely cause.
    case .fault(.decoderStart) where Self.limit(RLIMIT_STACK, below: 8 << 20) != nil:
      return PhotoError.fault(.sandboxLimits).sentence(about: path, in: words)
    case .fault(.sandboxLimits):
      let stack = Self.limit(RLIMIT_STACK, below: 8 << 20)
      values["kibibytes"] = stack ?? Self.limit(RLIMIT_AS, below: 1 << 30)
      if values["kibibytes"] != nil { variant = stack == nil ? "address" : "stack" }
    default: break
    }
    return words.sentence(facts, about: path, values, variant: variant)
  }

  /// Returns the hard limit of a resource in KiB if it is below `enough`, otherwise `nil`. Decoders inherit the limits
  /// of this process.
  private static func limit(_ resource: __rlimit_resource, below enough: rlim_t) -> String? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_max < enough
    else { return nil }
    return "\(limit.rlim_max >> 10)"
  }
}

extension StoreError {
  /// Returns one line in the command's language with the problem, the file, and what to do next.
  func sentence(about path: FilePath?, in words: Words = L10n.words) -> String {
    switch self {
    case .database(.newerDraft, _), .database(.damagedDraft, _): message(in: words)
    case .photo(let error): error.sentence(about: path, in: words)
    case .database(_, let detail) where !detail.hasPrefix("PostgreSQL"):
      words.sentence(facts, about: path, ["detail": DisplayText.name(detail)])
    case .onlyCopies(let photos): words("command.error.only-copies", count: photos.count)
    case .missingPhoto where path != nil: words.sentence(facts, about: path, variant: "named")
    default: words.sentence(facts, about: path)
    }
  }
}

extension Words {
  /// Returns the sentence for an error. Texts of the system and of strangers are escaped.
  fileprivate func sentence(
    _ facts: ErrorFacts, about path: FilePath?, _ others: [String: String] = [:],
    variant: String? = nil
  ) -> String {
    let file =
      path.map { $0 == "-" ? self("command.error.standardInput") : DisplayText.path($0) }
      ?? self("command.error.thePhoto")
    return sentence(
      "command.error.\(facts.code)", facts, others.merging(["file": file]) { $1 }, variant: variant,
      showing: ReadableText.escaped)
  }
}
