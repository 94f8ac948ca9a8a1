package import Foundation
import ImageContainers
import PhotoIngestion

/// A photo's record as stored in a catalog, with its seal: a digest of the other fields (`Seal`). If the fields were
/// altered since, the seal no longer matches.
package struct SealedRecord: Sendable, Equatable {
  /// The position in the order of recording. Photos are sorted by it because clocks jump. 0 until the photo is
  /// recorded.
  package var sequence: Int64
  /// All fields by name, including the seal.
  package var fields: [String: FieldValue]

  package init(sequence: Int64, fields: [String: FieldValue]) {
    self.sequence = sequence
    self.fields = fields
  }

  /// The fields of a photo's record, in the order in which catalogs write them.
  package static let columns = Table.photo.names(without: ["sequence"])

  package var id: String { text("id") ?? "" }
  /// `true` if all fields match the seal.
  package var isSealed: Bool { text("seal") == Seal.photo(fields) }

  package func text(_ name: String) -> String? { fields[name]?.text }
  package func number(_ name: String) -> Int? { fields[name]?.number.flatMap(Int.init(exactly:)) }

  /// Returns the recorded place of a picture. `nil` if the record contains no valid place.
  package func place(_ kind: BlobPath.Kind) -> BlobPath? {
    BlobPath(kind, sha256: text(kind.column + "SHA256"), format: text(kind.column + "Format"))
  }

  /// The valid places of the photo's pictures.
  package var places: [BlobPath] { BlobPath.Kind.ofRecords.compactMap(place) }

  /// Returns the recorded size of a picture in bytes.
  package func size(_ kind: BlobPath.Kind) -> Int? { number(kind.column + "SizeBytes") }

  /// Returns the recorded place and size of a picture. `nil` if the record contains no valid place.
  package func recorded(_ kind: BlobPath.Kind) -> RecordedPicture? {
    guard let place = place(kind), let size = size(kind) else { return nil }
    return RecordedPicture(place, sizeBytes: size)
  }

  /// Returns `true` if a stored file matches the record.
  package func agrees(with file: StoredFile, _ kind: BlobPath.Kind) -> Bool {
    let column = kind.column
    guard case .sound(let size, let width, let height, let frames) = file else { return false }
    return size == number(column + "SizeBytes") && width == number(column + "Width")
      && height == number(column + "Height") && frames == number(column + "FrameCount")
  }

  /// Returns the record with other values for some fields.
  package func with(_ changes: [String: FieldValue]) -> SealedRecord {
    var record = self
    record.fields.merge(changes) { _, new in new }
    return record
  }

  /// The settings and library versions with which the pictures were made. `nil` if they are unknown.
  package var form: PhotoForm? { text("form").flatMap(PhotoForm.init(text:)) }

  /// Returns the record with another blob and preview of its photo.
  package func showing(_ pictures: Pictures) -> SealedRecord {
    with(pictures.blob.fields(.blob)).with(pictures.preview.fields(.preview))
      .with(["form": FieldValue(pictures.form?.text)])
  }

  /// Returns the record for a draft's copy of this library photo.
  package func picked(
    as id: UUID, from asset: UUID, at now: Date
  ) -> SealedRecord {
    with([
      "id": .text(id.uuidString), "assetIdentifier": .text(asset.uuidString),
      "savedAtMilliseconds": .int(now.milliseconds),
    ]).sealedAnew
  }

  /// Returns the record with a new seal over its current fields.
  package var sealedAnew: SealedRecord { with(["seal": .text(Seal.photo(fields))]) }

  /// The pictures of a photo and the form in which they were made.
  package struct Pictures: Sendable, Equatable {
    package var blob: StoredPicture
    package var preview: StoredPicture
    package var form: PhotoForm?

    package init(blob: StoredPicture, preview: StoredPicture, form: PhotoForm?) {
      self.blob = blob
      self.preview = preview
      self.form = form
    }
  }
}

extension StoredPicture {
  package func fields(_ kind: BlobPath.Kind) -> [String: FieldValue] {
    let column = kind.column
    var fields: [String: FieldValue] = [
      column + "SHA256": .text(sha256), column + "Format": .text(format.rawValue),
      column + "SizeBytes": FieldValue(sizeBytes), column + "Width": FieldValue(pixelWidth),
      column + "Height": FieldValue(pixelHeight), column + "FrameCount": FieldValue(frameCount),
    ]
    if kind == .blob {
      // A blob has the dimensions of the original as a person sees it.
      fields["pixelWidth"] = FieldValue(pixelWidth)
      fields["pixelHeight"] = FieldValue(pixelHeight)
    }
    return fields
  }
}

extension BlobPath.Kind {
  /// The prefix of the field names for this kind of picture.
  package var column: String {
    switch self {
    case .blob: "blob"
    case .preview: "preview"
    case .size: "size"
    }
  }
}

/// The value of a record's field, in a form that every catalog supports.
package enum FieldValue: Sendable, Hashable {
  case null
  case int(Int64)
  case double(Double)
  case text(String)
  case data(Data)

  /// The text. `nil` for any other value.
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The integer. `nil` for any other value.
  package var number: Int64? { if case .int(let number) = self { number } else { nil } }
  /// The number. `nil` for any other value. Accepts integers because SQLite's RETURNING returns a real number without a
  /// fraction as an integer.
  package var double: Double? {
    switch self {
    case .double(let number): number
    case .int(let number): Double(number)
    default: nil
    }
  }

  package init(_ text: String?) { self = text.map(Self.text) ?? .null }
  package init(_ number: Int) { self = .int(Int64(number)) }
  package init(_ flag: Bool) { self = .int(flag ? 1 : 0) }
}
