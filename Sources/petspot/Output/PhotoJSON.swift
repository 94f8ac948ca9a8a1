import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion

extension PhotoAttachmentMetadata {
  /// The documented photo object.
  var json: JSON {
    let source = facts.source
    return [
      "id": .string(id.uuidString), "fileName": .string(facts.fileName),
      "fileSizeBytes": .int(facts.fileSizeBytes), "uti": .string(facts.uti),
      "pixelWidth": .int(facts.pixelWidth), "pixelHeight": .int(facts.pixelHeight),
      "assetIdentifier": .optional(assetIdentifier),
      "cachedURL": .string(cachedURL.absoluteString), "savedAt": .date(savedAt),
      "source": [
        "sha256": .string(source.sha256), "orientation": .int(source.orientation),
        "frameCount": .int(source.frameCount), "hasAlpha": .bool(source.hasAlpha),
        "colorProfile": .optional(source.colorProfile),
        "capturedAt": .optional(source.capturedAt), "hasLocation": .bool(source.hasLocation),
      ],
      "blob": [
        "uti": .string(blob.format.uti), "sizeBytes": .int(blob.sizeBytes),
        "sha256": .string(blob.sha256), "pixelWidth": .int(blob.pixelWidth),
        "pixelHeight": .int(blob.pixelHeight), "frameCount": .int(blob.frameCount),
        "path": .string(blob.path),
      ],
      "preview": [
        "path": .string(preview.path), "uti": .string(preview.format.uti),
        "pixelWidth": .int(preview.pixelWidth), "pixelHeight": .int(preview.pixelHeight),
      ],
      "sizes": .array(
        PhotoSize.ladder(width: blob.pixelWidth, height: blob.pixelHeight).map {
          [
            "size": .int($0.maxSide), "pixelWidth": .int($0.width), "pixelHeight": .int($0.height),
          ]
        }),
      "normalization": facts.normalization.json,
    ]
  }
}

extension FoundPhoto {
  /// The photo object with the folder in which an import found it, and the draft or announcement that uses it.
  var json: JSON {
    photo.json.adding([
      "folder": .optional(folder), "draft": .optional(holders.draft),
      "announcement": .optional(holders.announcement),
    ])
  }
}

extension Normalization {
  /// The documented `normalization` and `plan` object.
  var json: JSON {
    [
      "method": .string(method.rawValue), "reasons": .strings(reasons.map(\.rawValue)),
      "losses": .strings(losses), "repairs": .strings(repairs),
      "removed": .array(removed.map { ["kind": .string($0.kind), "bytes": .int($0.bytes)] }),
    ]
  }
}

extension PhotoAttachmentStatus {
  /// `{"status":"empty"}`, or the status with the photo if it is confirmed.
  var json: JSON {
    switch self {
    case .empty: ["status": "empty"]
    case .loading: ["status": "loading"]
    case .confirmed(let metadata): ["status": "confirmed", "photo": metadata.json]
    }
  }
}

extension AttachmentSnapshot {
  /// The status. It has `problem`, `id` and `fileName` if the recorded photo can't be shown, and `lastFailure` if the
  /// last attempt failed.
  var json: JSON {
    let last: KeyValuePairs<String, JSON> = failure.map { ["lastFailure": .string($0)] } ?? [:]
    return status.json.adding(invalid?.members ?? [:]).adding(last)
  }
}

extension InvalidPhoto {
  var members: KeyValuePairs<String, JSON> {
    [
      "problem": .string(problem.rawValue), "id": .string(photo.id.uuidString),
      "fileName": .string(photo.fileName),
    ]
  }
}
