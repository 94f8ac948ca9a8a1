import ImageContainers
import PhotoIngestion

/// Photos whose blob cannot be as it was: they get another one, and records follow.
extension PhotoRepairer {
  /// Puts another blob in the place of one that has the recorded bytes and must not be kept,
  /// because an older version of this program stored bytes that are no picture, or a decoder refuses it by
  /// now. The new one is made from the very original; without it, from the old blob, if every pixel
  /// stays.
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
    guard let bytes = try? cache.blobs.read(place), sha256(of: bytes) == place.sha256,
      let cleaned = try prepare(
        ReceivedFile(name: "blob", bytes: bytes, sha256: place.sha256), as: form),
      cleaned.blob.sha256 != place.sha256, try isSamePicture(cleaned.blob, bytes, work.photo)
    else { return reason }
    try replace(&work, by: cleaned, .cleaned)
    return nil
  }

  /// Whether a blob that was cleaned again looks as it did, pixel by pixel.
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

  /// Stores other pictures of the photo, before any record names them.
  func replace(
    _ work: inout Work, by prepared: PreparedPhoto, _ method: VerifyReport.Method
  ) throws(StoreError) {
    let replacement = SealedRecord.Pictures(
      blob: try cache.blobs.put(prepared.blob, kind: .blob),
      preview: try cache.blobs.put(prepared.preview, kind: .preview), form: prepared.form)
    if method == .remade {
      // Made from the original, the blob may have come about in another way, which is recorded. A
      // blob that was only cleaned again still comes from its original as the record says.
      work.photo = work.photo.with(try facts(of: prepared))
    }
    work.photo = work.photo.showing(replacement).sealedAnew
    work.method = method
    work.replacement = replacement
    work.prepared = prepared
  }
}
