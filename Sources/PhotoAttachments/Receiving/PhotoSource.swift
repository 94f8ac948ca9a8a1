import Foundation
public import SystemPackage

/// Where a photo comes from.
public enum PhotoSource: Sendable {
  /// A file; `name` replaces the path's last component as the original's name.
  case file(FilePath, name: String? = nil)
  /// Bytes already received, such as standard input or an upload.
  case bytes([UInt8], name: String)

  /// The original's name as text: bytes that are no UTF-8 show as `\xNN`.
  public var name: String {
    switch self {
    case .file(_, let name?): name
    case .file(let path, nil): path.lastComponent.map { Self.text(of: $0) } ?? "photo"
    case .bytes(_, let name): name
    }
  }

  private static func text(of component: FilePath.Component) -> String {
    component.withPlatformString { pointer in
      if let valid = String(validatingCString: pointer) { return valid }
      return String(cString: pointer).unicodeScalars.contains("\u{FFFD}")
        ? escaping(UnsafeBufferPointer(start: pointer, count: strlen(pointer)))
        : String(cString: pointer)
    }
  }

  private static func escaping(_ bytes: UnsafeBufferPointer<CChar>) -> String {
    var text = ""
    var rest = bytes.map(UInt8.init(bitPattern:))[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0
      if length > 0, rest.count >= length,
        let valid = String(validating: rest.prefix(length), as: UTF8.self)
      {
        text += valid
        rest = rest.dropFirst(length)
      } else {
        text += "\\x" + String(format: "%02X", first)
        rest = rest.dropFirst()
      }
    }
    return text
  }
}
