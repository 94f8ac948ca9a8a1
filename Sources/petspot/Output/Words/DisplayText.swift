import PhotoAttachments
import SystemPackage
import PhotoIngestion

/// Names and paths for display: escaped by the library and limited in length.
enum DisplayText {
  /// The maximum number of displayed characters of a name.
  static let maxNameLength = 80
  /// The maximum number of displayed characters of a path.
  static let maxPathLength = 240

  /// Returns the name of a file for people.
  static func name(_ name: String) -> String {
    shortened(ReadableText.escaped(name), to: maxNameLength)
  }

  /// Returns a path for people.
  static func path(_ path: FilePath) -> String { shortened(exact(path), to: maxPathLength) }

  /// Returns the complete path for programs. Bytes that are not UTF-8 are written as `\xNN`.
  static func verbatim(_ path: FilePath) -> String {
    let text = ReadableText.utf8(path.rawBytes)
    // `FilePath` removes the empty component that the address of an object contains.
    return text.hasPrefix("s3:/") ? "s3://" + text.dropFirst(4) : text
  }

  /// Returns the complete path with control characters escaped.
  static func exact(_ path: FilePath) -> String { ReadableText.escaped(verbatim(path)) }

  /// Cuts out the middle, so that the beginning and the extension are kept.
  private static func shortened(_ text: String, to length: Int) -> String {
    guard text.count > length else { return text }
    let tail = length / 3
    return text.prefix(length - tail - 1) + "…" + text.suffix(tail)
  }
}
