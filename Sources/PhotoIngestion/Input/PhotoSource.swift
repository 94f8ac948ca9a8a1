public import Foundation
import ImageContainers
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

  /// Returns bytes already received, such as an upload's.
  public static func data(_ data: Data, name: String? = nil) -> PhotoSource {
    .bytes([UInt8](data), name: name)
  }

  /// Collects bytes that arrive in pieces, such as an upload's body.
  ///
  /// - Parameters:
  ///   - pieces: the bytes in their order.
  ///   - name: the original's, nil when it is not known.
  ///   - limit: the most bytes to take.
  /// - Throws: `PhotoError.tooLarge` as soon as more than `limit` bytes have come; what the stream throws.
  public static func collecting<Pieces: AsyncSequence>(
    _ pieces: Pieces, name: String? = nil, limit: Int = PhotoPolicy().fileBytes
  ) async throws -> PhotoSource where Pieces.Element: Sequence<UInt8> {
    var bytes: [UInt8] = []
    for try await piece in pieces {
      bytes.append(contentsOf: piece)
      guard bytes.count <= limit else {
        throw PhotoError.tooLarge(.fileBytes, actual: bytes.count, limit: limit)
      }
    }
    return .bytes(bytes, name: name)
  }

  /// Collects bytes that arrive one by one, as Foundation's async bytes do.
  ///
  /// - Throws: as the function for pieces.
  public static func collecting<Bytes: AsyncSequence>(
    _ bytes: Bytes, name: String? = nil, limit: Int = PhotoPolicy().fileBytes
  ) async throws -> PhotoSource where Bytes.Element == UInt8 {
    try await collecting(bytes.map(CollectionOfOne.init), name: name, limit: limit)
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
