public import Foundation
import ImageContainers
public import SystemPackage

/// The source of a photo.
public enum PhotoSource: Sendable {
  /// A file. `name` replaces the last path component as the name of the original. An empty name means that it has none.
  case file(FilePath, name: String? = nil)
  /// Bytes that were already received, such as standard input or an upload. Without a name, the photo is named after
  /// its format.
  case bytes([UInt8], name: String?)
  /// An open file, such as an upload's, and the name of the original. An empty name means that it has none.
  case open(PhotoFile, name: String)

  /// Creates a source from a path in text form.
  public static func file(path: String, name: String? = nil) -> PhotoSource {
    .file(FilePath(path), name: name)
  }

  /// Creates a source from bytes that were already received, such as an upload's.
  public static func data(_ data: Data, name: String? = nil) -> PhotoSource {
    .bytes([UInt8](data), name: name)
  }

  /// Collects bytes that arrive in pieces, such as the body of an upload.
  ///
  /// - Parameters:
  ///   - pieces: the bytes in order.
  ///   - name: the name of the original. `nil` if it is unknown.
  ///   - limit: the maximum number of bytes.
  /// - Throws: `PhotoError.tooLarge` as soon as more than `limit` bytes have arrived; errors that the stream throws.
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

  /// Collects bytes that arrive one by one, such as Foundation's `AsyncBytes`.
  ///
  /// - Throws: `PhotoError.tooLarge` as soon as more than `limit` bytes have arrived; errors that the stream throws.
  public static func collecting<Bytes: AsyncSequence>(
    _ bytes: Bytes, name: String? = nil, limit: Int = PhotoPolicy().fileBytes
  ) async throws -> PhotoSource where Bytes.Element == UInt8 {
    try await collecting(bytes.map(CollectionOfOne.init), name: name, limit: limit)
  }

  /// The name of the original as text. Bytes that aren't valid UTF-8 appear as `\xNN`. `nil` if it has no name.
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
