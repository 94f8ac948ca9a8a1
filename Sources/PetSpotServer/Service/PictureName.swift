import Foundation
import ImageContainers
import PhotoIngestion

/// The name of a picture in addresses. It has the random id of the photo, which reveals nothing, and the kind of
/// picture.
struct PictureName: Equatable, Sendable {
  let photo: UUID
  let kind: Kind

  enum Kind: Equatable, Sendable {
    case whole, preview
    case size(SizeForm.Name)
  }

  init(photo: UUID, _ kind: Kind) {
    self.photo = photo
    self.kind = kind
  }

  /// Parses a name. Returns `nil` if it is malformed.
  init?(_ text: String) {
    let id = text.prefix(36)
    guard let photo = UUID(uuidString: String(id)), id == id.lowercased() else { return nil }
    let rest = text.dropFirst(36)
    let kinds = [Kind.whole, .preview] + Self.sizes.map(Kind.size)
    guard let kind = kinds.first(where: { $0.text == rest }) else { return nil }
    self.init(photo: photo, kind)
  }

  /// The name as it appears in addresses.
  var text: String { photo.uuidString.lowercased() + kind.text }

  private static let sizes = PhotoSize.maxSides.flatMap { maxSide in
    PhotoSize.formats.map { SizeForm.Name(maxSide: maxSide, format: $0) }
  }
}

extension PictureName.Kind {
  /// The part of the name after the photo's id.
  fileprivate var text: String {
    switch self {
    case .whole: ""
    case .preview: "-preview"
    case .size(let name): "-\(name.maxSide).\(name.format.fileExtensions[0])"
    }
  }
}
