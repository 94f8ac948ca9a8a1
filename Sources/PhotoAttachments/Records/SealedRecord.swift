package import Foundation
import ImageContainers
import PhotoIngestion

/// A photo's record as it lies in a catalog, whatever was done to it.
package struct SealedRecord: Sendable, Equatable {
  /// Its number in the order of recording, by which photos are sorted (clocks jump); 0 until it is
  /// recorded.
  package var sequence: Int64
  /// Every field by its name, the seal among them.
  package var fields: [String: FieldValue]

  package init(sequence: Int64, fields: [String: FieldValue]) {
    self.sequence = sequence
    self.fields = fields
  }

  /// The fields of a photo's record, in the order in which catalogs write them.
  package static let columns = Table.photo.names(without: ["sequence"])

  package var id: String { text("id") ?? "" }
  /// Whether every field is as it was written.
  package var isSealed: Bool { text("seal") == Seal.photo(fields) }

  package func text(_ name: String) -> String? { fields[name]?.text }
  package func number(_ name: String) -> Int? { fields[name]?.number.flatMap(Int.init(exactly:)) }

  /// Where a picture lies by the record, nil when it says no possible place.
  package func place(_ kind: BlobPath.Kind) -> BlobPath? {
    BlobPath(kind, sha256: text(kind.column + "SHA256"), format: text(kind.column + "Format"))
  }

  /// Where its pictures lie, as far as the record says a possible place.
  package var places: [BlobPath] { BlobPath.Kind.ofRecords.compactMap(place) }

  /// The recorded size of a picture in bytes.
  package func size(_ kind: BlobPath.Kind) -> Int? { number(kind.column + "SizeBytes") }

  /// A picture as the record describes it, nil when it says no possible place.
  package func recorded(_ kind: BlobPath.Kind) -> RecordedPicture? {
    guard let place = place(kind), let size = size(kind) else { return nil }
    return RecordedPicture(place, sizeBytes: size)
  }

  /// Whether a picture is what the record says of it.
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

  /// The form it was made in, nil when that is not known.
  package var form: PhotoForm? { text("form").flatMap(PhotoForm.init(text:)) }

  /// Returns the record with another blob and preview of its photo.
  package func showing(_ pictures: Pictures) -> SealedRecord {
    with(pictures.blob.fields(.blob)).with(pictures.preview.fields(.preview))
      .with(["form": FieldValue(pictures.form?.text)])
  }

  /// The record of the photo that a draft shows when it picks this one from the library.
  package func picked(
    as id: UUID, from asset: UUID, at now: Date
  ) -> SealedRecord {
    with([
      "id": .text(id.uuidString), "assetIdentifier": .text(asset.uuidString),
      "savedAtMilliseconds": .int(now.milliseconds),
    ]).sealedAnew
  }

  /// Returns the record with a seal on the fields that it has now.
  package var sealedAnew: SealedRecord { with(["seal": .text(Seal.photo(fields))]) }

  /// What a photo shows, and in which form that was made.
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
      // A blob is as large as what a person sees of the original.
      fields["pixelWidth"] = FieldValue(pixelWidth)
      fields["pixelHeight"] = FieldValue(pixelHeight)
    }
    return fields
  }
}

extension BlobPath.Kind {
  /// What the fields of such a picture begin with.
  package var column: String {
    switch self {
    case .blob: "blob"
    case .preview: "preview"
    case .size: "size"
    }
  }
}

/// A value in a field of a record, as every catalog keeps it.
package enum FieldValue: Sendable, Hashable {
  case null
  case int(Int64)
  case double(Double)
  case text(String)
  case data(Data)

  /// The text, nil for anything else.
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The whole number, nil for anything else.
  package var number: Int64? { if case .int(let number) = self { number } else { nil } }
  /// The number, nil for anything else. SQLite's RETURNING gives a real one without a fraction as a whole
  /// one.
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
