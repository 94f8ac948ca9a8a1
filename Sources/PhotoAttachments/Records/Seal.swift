import PhotoIngestion

/// SHA-256 over the fields of a record as they were written, kept beside them: a field that was
/// altered afterwards, whichever it is, is noticed by `verify`, and a field that is worked out again
/// is known to be the one that was lost. Equal records have equal seals in every catalog.
package enum Seal {
  /// Columns that later versions added. They are left out while they are null, so that the seals of
  /// older records, which were made without them, still hold.
  private static let laterPhotoColumns = ["form"]

  /// The fields of a photo under its seal: all but the order of recording, and `assetIdentifier`,
  /// which `forget` takes away.
  private static let photoColumns = Table.photo.names(
    without: ["sequence", "assetIdentifier", "seal"] + laterPhotoColumns)

  package static func photo(_ fields: [String: FieldValue]) -> String {
    let later = laterPhotoColumns.flatMap { name -> [FieldValue] in
      guard let value = fields[name], value != .null else { return [] }
      return [.text(name), value]
    }
    return seal(photoColumns.map { fields[$0] ?? .null } + later)
  }

  package static func library(photo: String, perceptualHash: Int64) -> String {
    seal([.text(photo), .int(perceptualHash)])
  }

  /// Each value with its type and length, so that none runs into the next.
  private static func seal(_ values: [FieldValue]) -> String {
    var bytes: [UInt8] = []
    for value in values {
      let (type, text) =
        switch value {
        case .null: ("n", "")
        case .int(let number): ("i", "\(number)")
        case .double(let number): ("d", "\(number)")
        case .text(let text): ("s", text)
        case .data(let data): ("b", data.map { "\($0)" }.joined(separator: " "))
        }
      bytes += Array("\(type)\(text.utf8.count):\(text)".utf8)
    }
    return sha256(of: bytes)
  }
}
