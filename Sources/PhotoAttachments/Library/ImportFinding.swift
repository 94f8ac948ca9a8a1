import Foundation
import PhotoIngestion

/// A photo that is prepared, its pictures lying in `incoming/`.
struct StagedPhoto: Sendable {
  var facts: PhotoFacts
  var perceptualHash: UInt64
  var blob: StagedPicture
  var preview: StagedPicture

  /// What the photo will show.
  var pictures: SealedRecord.Pictures {
    SealedRecord.Pictures(blob: blob.picture, preview: preview.picture, form: facts.form)
  }
}

/// What was found out about an input and waits to be recorded.
struct ImportFinding: Sendable {
  var path: FoundPath
  var verdict: Verdict
  var bytesRead = 0

  enum FoundPath: Sendable {
    case file(FoundFile, sha256: String?)
    case other(ImportedFile)
  }

  enum Verdict: Sendable {
    /// Nothing is to be recorded.
    case known(ImportOutcome)
    case staged(StagedPhoto)
    /// It equals a library photo; `nil` names the one that the same bytes became in this run.
    case duplicate(of: UUID?, ImportOutcome.DuplicateTier)
    /// It was moved: known under another path that is gone.
    case moved(UUID, ImportOutcome.DuplicateTier?)
    case refused(ImportRefusal)
  }

  /// Its result when there is nothing to record, nil when there is.
  var settled: ImportedFile? {
    switch (path, verdict) {
    case (.other(let file), _): file
    case (.file(let file, _), .known(let outcome)):
      ImportedFile(path: file.path, sizeBytes: file.identity.size, outcome: outcome)
    default: nil
    }
  }

  /// The mark that its file has when its photo was forgotten; nil for what is no new photo.
  var mark: String? {
    guard case .staged(let photo) = verdict, case .file(let file, _) = path else { return nil }
    return ErasureMark.file(path: file.key, sha256: photo.facts.source.sha256)
  }

  /// The pictures that wait for it in `incoming/`.
  var pictures: [StagedPicture] {
    if case .staged(let photo) = verdict { [photo.blob, photo.preview] } else { [] }
  }
}
