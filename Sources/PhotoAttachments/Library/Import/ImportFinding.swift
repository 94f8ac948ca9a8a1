import Foundation
import PhotoIngestion

/// A prepared photo whose pictures are stored but have no names yet (`BlobStorage.stage`).
struct StagedPhoto: Sendable {
  var facts: PhotoFacts
  var perceptualHash: UInt64
  var blob: StagedPicture
  var preview: StagedPicture

  /// The pictures of the future photo.
  var pictures: SealedRecord.Pictures {
    SealedRecord.Pictures(blob: blob.picture, preview: preview.picture, form: facts.form)
  }
}

/// The result of examining an input, before it is recorded.
struct ImportFinding: Sendable {
  var path: FoundPath
  var verdict: Verdict
  var bytesRead = 0

  /// The input: a file, or an entry that was refused during the walk.
  enum FoundPath: Sendable {
    case file(FoundFile, sha256: String?)
    case other(ImportedFile)
  }

  /// The decision on an input.
  enum Verdict: Sendable {
    /// There is nothing to record.
    case known(ImportOutcome)
    /// It is a new photo, unless the catalog turns out to contain an equal one.
    case staged(StagedPhoto)
    /// It equals a library photo. `nil` means the photo that the same bytes became in this import.
    case duplicate(of: UUID?, ImportOutcome.DuplicateTier)
    /// It was moved. The file is known under another path, which is gone.
    case moved(UUID, ImportOutcome.DuplicateTier?)
    case refused(ImportRefusal)
  }

  /// The result of an input that isn't recorded; `nil` if it has to be recorded.
  var settled: ImportedFile? {
    switch (path, verdict) {
    case (.other(let file), _): file
    case (.file(let file, _), .known(let outcome)):
      ImportedFile(path: file.path, sizeBytes: file.identity.size, outcome: outcome)
    default: nil
    }
  }

  /// The mark that the file would have if its photo had been forgotten; `nil` if this isn't a new photo.
  var mark: String? {
    guard case .staged(let photo) = verdict, case .file(let file, _) = path else { return nil }
    return ErasureMark.file(path: file.key, sha256: photo.facts.source.sha256)
  }

  /// The staged pictures. Empty unless this is a new photo.
  var pictures: [StagedPicture] {
    if case .staged(let photo) = verdict { [photo.blob, photo.preview] } else { [] }
  }
}
