import Foundation

/// The words for an error and its details.
extension Words {
  /// Returns the sentence for an error. Its name in the catalog is the error's code, refined by each detail that has a
  /// text of its own: `failure.unreadable.ENOENT`, `command.error.storage-full.EDQUOT`.
  ///
  /// - Parameters:
  ///   - name: the beginning of the text's name, which ends with the code.
  ///   - others: additional values for the text. They override values of the same name.
  ///   - variant: a refinement of the name that doesn't follow from the details.
  ///   - show: converts a text from outside of the program before it is shown.
  package func sentence(
    _ name: String, _ facts: ErrorFacts, _ others: [String: String] = [:],
    variant: String? = nil, showing show: (String) -> String = { $0 }
  ) -> String {
    var name = name
    var values: [String: String] = [:]
    func refine(_ part: String) {
      if text(named: "\(name).\(part)") != nil { name += ".\(part)" }
    }
    for (key, detail) in facts.details {
      switch detail.plain {
      case .text(let text): values[key] = show(text)
      case .texts(let texts): values[key] = show(texts.joined(separator: ", "))
      case .number(let number): values[key] = "\(number)"
      default: break
      }
      switch detail {
      case .word(let word): refine(word)
      case .damage(let word):
        values["damage"] = damage(word)
        refine(word)
      case .shown(let percent):
        values["damage"] = missing(percentShown: percent)
        values["missing"] = values["damage"].map { $0.prefix(1).uppercased() + $0.dropFirst() }
        refine(key)
      case .media(let type):
        values["noun"] = MediaTypeWords.noun(for: type, in: self)
        if MediaTypeWords.isPicture(type) { refine("picture") }
      case .kind(let kind):
        values["noun"] = noun(ofKind: kind)
        refine(kind)
      case .errno(let errno):
        values["reason"] = reason(errno)
        values["remedy"] = remedy(errno)
        Self.reasons[errno].map { refine(String($0.rawValue.dropFirst("system.".count))) }
      case .user(let number):
        values["owner"] = user(number, showing: show)
        values["user"] = user(Int(geteuid()), showing: show)
      // The text for a server of records may differ.
      case .text(let text) where text.hasPrefix("PostgreSQL"):
        let hasOwn = self.text(named: "\(name).postgresql") != nil
        refine(hasOwn ? "postgresql" : key)
      case .text: refine(key)
      case .texts, .number, .unknown: break
      }
    }
    variant.map(refine)
    let other = variant.flatMap { text(named: "failure.storage.\($0)") }
    let found = text(named: name) ?? other ?? self("failure.storage")
    return fill(found, values.merging(others) { $1 })
  }

  /// Returns the phrase for the part of a photo that can't be shown, for the middle of a sentence.
  ///
  /// - Parameter percent: the percentage of rows, from the top, that can be shown. `nil` if the missing part isn't
  ///   simply the lower part.
  package func missing(percentShown percent: Int?) -> String {
    guard let percent else { return self("missing.parts") }
    return switch percent {
    case ...5: self("missing.nearlyAll")
    case 45...55: self("missing.lowerHalf")
    default: self("missing.lowerPart", ["percent": String(100 - min(percent, 99))])
    }
  }

  /// Returns a description of a photo's damage. Programs get the stable code instead.
  package func damage(_ problem: String) -> String {
    if problem == "zeros" { return self("damage.zeros") }
    if problem.hasPrefix("truncated") { return self("damage.cut") }
    if problem == "jpeg-surplus" { return self("damage.surplus") }
    let isSum = ["crc", "adler", "checksum"].contains(where: problem.contains)
    return self(isSum ? "damage.checksum" : "damage.invalid")
  }

  /// Returns the noun for an input that isn't a photo: a special file, or a file that a system created.
  package func noun(ofKind kind: String) -> String { text(named: "kind.\(kind)") ?? kind }

  /// Returns a description of an errno in lower case, for use within a sentence.
  package func reason(_ errno: Int32) -> String {
    if let reason = Self.reasons[errno] { return self(reason) }
    let text = String(cString: strerror(errno))
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  private static let reasons: [Int32: TextKey] = [
    EACCES: "system.EACCES", EPERM: "system.EPERM", ENOENT: "system.ENOENT",
    ENOTDIR: "system.ENOTDIR", EISDIR: "system.EISDIR", EEXIST: "system.EEXIST",
    ELOOP: "system.ELOOP", ENAMETOOLONG: "system.ENAMETOOLONG", EIO: "system.EIO",
    EROFS: "system.EROFS", ENOSPC: "system.ENOSPC", EDQUOT: "system.EDQUOT",
    EFBIG: "system.EFBIG", EMFILE: "system.EMFILE", ENFILE: "system.ENFILE",
    ENOMEM: "system.ENOMEM", ENOBUFS: "system.ENOBUFS", EAGAIN: "system.EAGAIN",
    EBUSY: "system.EBUSY", EINVAL: "system.EINVAL",
  ]

  /// Returns advice for an errno, as the beginning of a sentence.
  private func remedy(_ errno: Int32) -> String {
    switch errno {
    case EMFILE, ENFILE: self("command.remedy.files")
    case ENOMEM, ENOBUFS: self("command.remedy.memory")
    case EAGAIN: self("command.remedy.processes")
    case EFBIG: self("command.remedy.fileSize")
    case EROFS: self("command.remedy.readOnly")
    case EACCES, EPERM: self("command.remedy.permissions")
    default: self("command.remedy.disk")
    }
  }

  /// Returns a user's name and number: `anna (1000)`.
  private func user(_ number: Int, showing show: (String) -> String) -> String {
    guard let entry = getpwuid(uid_t(truncatingIfNeeded: number)) else {
      return self("command.user", ["number": "\(number)"])
    }
    return "\(show(String(cString: entry.pointee.pw_name))) (\(number))"
  }
}
