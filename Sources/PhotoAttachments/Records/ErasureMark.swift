import PhotoIngestion

/// The remaining trace of something that was erased or forgotten. It keeps a move, a repeated run or a late upload from
/// restoring it. It is a digest of the item's identity, never of its content alone, so it reveals nothing (decision
/// 44).
package enum ErasureMark {
  package static func photo(_ id: String) -> String { digest("photo", id.utf8) }

  /// Returns the mark of a photo's membership in the library.
  package static func library(_ id: String) -> String { digest("library", id.utf8) }

  /// Returns the mark of a photo that was removed from the library although it was the only copy.
  package static func onlyCopy(_ id: String) -> String { digest("only copy", id.utf8) }

  /// Returns the mark of a file that became a photo or equals one. It covers the path and the bytes. Another file at
  /// that path, or the same bytes elsewhere, have different marks.
  package static func file(path: [UInt8], sha256: String) -> String {
    digest("file", sha256.utf8, path)
  }

  package static func announcement(_ id: String) -> String { digest("announcement", id.utf8) }

  /// Returns the mark of the code at the end of an announcement's short URL.
  package static func shortCode(_ code: String) -> String { digest("short code", code.utf8) }

  /// Returns the mark of the announcement that was submitted with this key.
  package static func submission(_ key: String) -> String { digest("submission", key.utf8) }

  private static func digest(
    _ kind: String, _ identity: String.UTF8View, _ place: [UInt8] = []
  ) -> String {
    sha256(of: Array("petspot \(kind) ".utf8) + Array(identity) + [0] + place)
  }
}
