import PhotoIngestion

/// What is left of something that was erased or forgotten, so that a move, a repeated run or a late upload
/// doesn't bring it back: a digest of its identity, never of its content alone, which says nothing
/// (decision 44).
package enum ErasureMark {
  package static func photo(_ id: String) -> String { digest("photo", id.utf8) }

  /// A photo's place in the library.
  package static func library(_ id: String) -> String { digest("library", id.utf8) }

  /// The same of an only copy, which was forgotten all the same.
  package static func onlyCopy(_ id: String) -> String { digest("only copy", id.utf8) }

  /// A file that became a photo or equals it: its place and its bytes. Another file there, or the same
  /// bytes elsewhere, are none of it.
  package static func file(path: [UInt8], sha256: String) -> String {
    digest("file", sha256.utf8, path)
  }

  package static func announcement(_ id: String) -> String { digest("announcement", id.utf8) }

  /// What the short address of an announcement ended with.
  package static func shortCode(_ code: String) -> String { digest("short code", code.utf8) }

  /// What was announced under this key.
  package static func submission(_ key: String) -> String { digest("submission", key.utf8) }

  private static func digest(
    _ kind: String, _ identity: String.UTF8View, _ place: [UInt8] = []
  ) -> String {
    sha256(of: Array("petspot \(kind) ".utf8) + Array(identity) + [0] + place)
  }
}
