import PhotoIngestion

/// A SHA-256 over the fields of a record, stored next to them. `verify` uses it to detect any field that was altered
/// later. A repair uses it to confirm that a recomputed field equals the lost one. Equal records have equal seals in
/// every catalog.
package enum Seal {
  /// Columns that later versions added. They are left out while they are null, so that the seals of older records
  /// remain valid.
  private static let laterPhotoColumns = ["form"]

  /// The sealed fields of a photo. They exclude the sequence number and `assetIdentifier`, which `forget` removes.
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

  /// Returns the digest of the values, each preceded by its type and length so that adjacent values stay distinct.
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
