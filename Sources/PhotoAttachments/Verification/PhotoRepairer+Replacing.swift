import ImageContainers
import PhotoIngestion

/// Replaces the blob of a photo if the old one must not be restored, and updates the records.
extension PhotoRepairer {
  /// Replaces a blob that has the recorded bytes but must not be kept. Either an older version of this program stored
  /// bytes that aren't part of the picture, or a decoder now refuses it. The new blob is made from the exact original.
  /// If the original is missing, it is made from the old blob, provided that no pixel changes.
  func replace(_ work: inout Work) throws(StoreError) -> VerifyReport.Reason? {
    guard let place = work.photo.place(.blob) else { return .otherBytes }
    let form = work.photo.form
    let source = work.photo.text("sourceSHA256")
    var remade: PreparedPhoto?
    let reason = try search(work.photo) { original in
      guard original.received.sha256 == source,
        let made = try prepare(original.received, as: form), made.blob.sha256 != place.sha256,
        made.normalization.signsOfCut.isEmpty
      else { return false }
      remade = made
      return true
    }
    if let remade {
      try replace(&work, by: remade, .remade)
      return nil
    }
    guard let bytes = try? cache.blobs.readPicture(place), sha256(of: bytes) == place.sha256,
      let cleaned = try prepare(
        ReceivedFile(name: "blob", bytes: bytes, sha256: place.sha256), as: form),
      cleaned.blob.sha256 != place.sha256, try isSamePicture(cleaned.blob, bytes, work.photo)
    else { return reason }
    try replace(&work, by: cleaned, .cleaned)
    return nil
  }

  /// Returns `true` if a blob that was cleaned again has the same pixels as before.
  private func isSamePicture(
    _ cleaned: EncodedPicture, _ bytes: [UInt8], _ photo: SealedRecord
  ) throws(StoreError) -> Bool {
    guard cleaned.format == photo.place(.blob)?.format,
      cleaned.frameCount == photo.number("blobFrameCount")
    else { return false }
    do throws(PhotoError) {
      let format = cleaned.format
      return try verifier.pipeline.pixelDigest(of: cleaned.bytes, as: format)
        == verifier.pipeline.pixelDigest(of: bytes, as: format)
    } catch {
      if error.blame == .photo { return false }
      throw StoreError(error)
    }
  }

  /// Stores the new pictures of a photo before a record refers to them.
  func replace(
    _ work: inout Work, by prepared: PreparedPhoto, _ method: VerifyReport.Method
  ) throws(StoreError) {
    let replacement = SealedRecord.Pictures(
      blob: try cache.blobs.put(prepared.blob, kind: .blob),
      preview: try cache.blobs.put(prepared.preview, kind: .preview), form: prepared.form)
    if method == .remade {
      // A blob made from the original may have been made by another method, so record that method. A blob that was only
      // cleaned again still came from its original as the record describes.
      work.photo = work.photo.with(try facts(of: prepared))
    }
    work.photo = work.photo.showing(replacement).sealedAnew
    work.method = method
    work.replacement = replacement
    work.prepared = prepared
  }
}
