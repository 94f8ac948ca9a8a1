import Foundation
public import SystemPackage

/// Where a photo comes from.
public enum PhotoSource: Sendable {
  /// A file; `name` replaces the path's last component as the original's name, an empty one by none.
  case file(FilePath, name: String? = nil)
  /// Bytes already received, such as standard input or an upload; without a name they get one by their
  /// format.
  case bytes([UInt8], name: String?)
  /// A file that is open, such as an upload's, and its original's name, an empty one for none.
  case open(PhotoFile, name: String)

  /// Returns a file whose path is text.
  public static func file(path: String, name: String? = nil) -> PhotoSource {
    .file(FilePath(path), name: name)
  }

  /// The original's name as text: bytes that are no UTF-8 show as `\xNN`; nil without one.
  public var name: String? {
    switch self {
    case .file(_, let name?): name.isEmpty ? nil : name
    case .file(let path, nil): path.lastComponent.map { Self.text(of: $0) }
    case .bytes(_, let name): name
    case .open(_, let name): name.isEmpty ? nil : name
    }
  }

  private static func text(of component: FilePath.Component) -> String {
    component.withPlatformString { pointer in
      ReadableText.utf8(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
    }
  }
}
