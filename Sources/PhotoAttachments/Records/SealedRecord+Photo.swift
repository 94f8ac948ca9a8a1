package import Foundation
import ImageContainers
import PhotoIngestion

/// Converts between a photo and its record. This is the only place that maps each fact of a photo to its field.
extension SealedRecord {
  package init(_ photo: PhotoAttachmentMetadata) throws(StoreError) {
    var fields: [String: FieldValue] = [
      "id": .text(photo.id.uuidString),
      "fileName": .text(photo.fileName),
      "fileSizeBytes": FieldValue(photo.fileSizeBytes),
      "uti": .text(photo.uti),
      "pixelWidth": FieldValue(photo.pixelWidth),
      "pixelHeight": FieldValue(photo.pixelHeight),
      "assetIdentifier": FieldValue(photo.assetIdentifier),
      "savedAtMilliseconds": .int(photo.savedAt.milliseconds),
      "sourceSHA256": .text(photo.source.sha256),
      "sourceOrientation": FieldValue(photo.source.orientation),
      "sourceFrameCount": FieldValue(photo.source.frameCount),
      "sourceHasAlpha": FieldValue(photo.source.hasAlpha),
      "sourceColorProfile": FieldValue(photo.source.colorProfile),
      "sourceCapturedAt": FieldValue(photo.source.capturedAt),
      "sourceHasLocation": FieldValue(photo.source.hasLocation),
      "normalizationMethod": .text(photo.normalization.method.rawValue),
      "normalizationReasons": try Self.json(photo.normalization.reasons),
      "normalizationLosses": try Self.json(photo.normalization.losses),
      "normalizationRepairs": try Self.json(photo.normalization.repairs),
      "normalizationRemoved": try Self.json(photo.normalization.removed),
      "form": FieldValue(photo.form?.text),
    ]
    for (kind, picture) in [(BlobPath.Kind.blob, photo.blob), (.preview, photo.preview)] {
      fields.merge(picture.fields(kind)) { own, _ in own }
    }
    self = SealedRecord(sequence: 0, fields: fields).sealedAnew
  }

  /// Returns the photo that the record describes.
  ///
  /// - Parameter url: returns the location of a picture.
  /// - Throws: `StoreError.database(.damaged)` if the record contains impossible values.
  package func metadata(
    at url: (BlobPath) -> URL
  ) throws(StoreError) -> PhotoAttachmentMetadata {
    guard let id = text("id").flatMap(UUID.init(uuidString:)), let facts, let place = place(.blob),
      let blob = picture(.blob), let preview = picture(.preview),
      let savedAt = fields["savedAtMilliseconds"]?.number
    else { throw .database(.damaged, detail: "photo \(self.id)") }
    return PhotoAttachmentMetadata(
      id: id, facts: facts, assetIdentifier: text("assetIdentifier"), cachedURL: url(place),
      savedAt: Date(milliseconds: savedAt), blob: blob, preview: preview)
  }

  /// `true` if the record contains only possible values.
  package var isPossible: Bool {
    (try? metadata { URL(fileURLWithPath: "/" + $0.relativePath) }) != nil
  }

  /// The facts about the photo. `nil` if the record contains impossible values.
  private var facts: PhotoFacts? {
    guard let fileName = text("fileName"), let fileSizeBytes = number("fileSizeBytes"),
      let format = text("uti").flatMap(ImageFormat.init(uti:)),
      let pixelWidth = number("pixelWidth"), let pixelHeight = number("pixelHeight"),
      let source, let normalization
    else { return nil }
    var facts = PhotoFacts(
      fileName: fileName, fileSizeBytes: fileSizeBytes, format: format, pixelWidth: pixelWidth,
      pixelHeight: pixelHeight, source: source, normalization: normalization)
    facts.form = form
    return facts
  }

  private var source: SourceFacts? {
    guard let digest = text("sourceSHA256"), let orientation = number("sourceOrientation"),
      let frames = number("sourceFrameCount"), let hasAlpha = number("sourceHasAlpha"),
      let hasLocation = number("sourceHasLocation")
    else { return nil }
    return SourceFacts(
      sha256: digest, orientation: orientation, frameCount: frames, hasAlpha: hasAlpha != 0,
      colorProfile: text("sourceColorProfile"), capturedAt: text("sourceCapturedAt"),
      hasLocation: hasLocation != 0)
  }

  private func picture(_ kind: BlobPath.Kind) -> StoredPicture? {
    let column = kind.column
    guard let place = place(kind), let size = size(kind), let width = number(column + "Width"),
      let height = number(column + "Height"), let frames = number(column + "FrameCount")
    else { return nil }
    return StoredPicture(
      path: place.relativePath, format: place.format, sizeBytes: size, sha256: place.sha256,
      pixelWidth: width, pixelHeight: height, frameCount: frames)
  }

  private var normalization: Normalization? {
    guard
      let method = text("normalizationMethod").flatMap(Normalization.Method.init(rawValue:)),
      let reasons: [Normalization.Reason] = list("normalizationReasons"),
      let losses: [String] = list("normalizationLosses"),
      let repairs: [String] = list("normalizationRepairs"),
      let removed: [Normalization.Removed] = list("normalizationRemoved")
    else { return nil }
    return Normalization(
      method: method, reasons: reasons, losses: losses, repairs: repairs, removed: removed)
  }

  /// Encodes a list as text with sorted keys, because the seal covers the exact bytes.
  private static func json(_ list: some Encodable) throws(StoreError) -> FieldValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(list) else { throw .fault(.record) }
    return .text(String(decoding: data, as: UTF8.self))
  }

  private func list<Element: Decodable>(_ name: String) -> [Element]? {
    // Skip the decoder for empty lists, which are the most common.
    guard let text = text(name), text != "[]" else { return fields[name]?.text.map { _ in [] } }
    return try? JSONDecoder().decode([Element].self, from: Data(text.utf8))
  }
}

extension Date {
  /// The time in whole milliseconds since 1970, which is the resolution of records.
  package var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

  package init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
