import PhotoAttachments
import SystemPackage
import PhotoIngestion

/// Names and paths as they are shown: made readable by the library, and bounded in length.
enum DisplayText {
  /// Characters of a name that are shown.
  static let maxNameLength = 80
  /// Characters of a path that are shown.
  static let maxPathLength = 240

  /// A file's name for people.
  static func name(_ name: String) -> String {
    shortened(ReadableText.escaped(name), to: maxNameLength)
  }

  /// A path for people.
  static func path(_ path: FilePath) -> String { shortened(exact(path), to: maxPathLength) }

  /// A path with nothing left out, for programs; bytes that are not UTF-8 become `\xNN`.
  static func verbatim(_ path: FilePath) -> String {
    let text = ReadableText.utf8(path.rawBytes)
    // A path has no empty parts, the address of an object has one.
    return text.hasPrefix("s3:/") ? "s3://" + text.dropFirst(4) : text
  }

  /// A path with control characters escaped and nothing left out.
  static func exact(_ path: FilePath) -> String { ReadableText.escaped(verbatim(path)) }

  /// Leaves out the middle, so that a name keeps its beginning and its extension.
  private static func shortened(_ text: String, to length: Int) -> String {
    guard text.count > length else { return text }
    let tail = length / 3
    return text.prefix(length - tail - 1) + "…" + text.suffix(tail)
  }
}
