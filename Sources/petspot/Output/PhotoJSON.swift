import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion

extension PhotoAttachmentMetadata {
  /// The documented photo object.
  var json: JSON {
    let source = facts.source
    return [
      "id": id, "fileName": facts.fileName, "fileSizeBytes": facts.fileSizeBytes, "uti": facts.uti,
      "pixelWidth": facts.pixelWidth, "pixelHeight": facts.pixelHeight,
      "assetIdentifier": assetIdentifier, "cachedURL": cachedURL.absoluteString, "savedAt": savedAt,
      "source": [
        "sha256": source.sha256, "orientation": source.orientation, "frameCount": source.frameCount,
        "hasAlpha": source.hasAlpha, "colorProfile": source.colorProfile,
        "capturedAt": source.capturedAt, "hasLocation": source.hasLocation,
      ] as JSON,
      "blob": [
        "uti": blob.format.uti, "sizeBytes": blob.sizeBytes, "sha256": blob.sha256,
        "pixelWidth": blob.pixelWidth, "pixelHeight": blob.pixelHeight,
        "frameCount": blob.frameCount, "path": blob.path,
      ] as JSON,
      "preview": [
        "path": preview.path, "uti": preview.format.uti, "pixelWidth": preview.pixelWidth,
        "pixelHeight": preview.pixelHeight,
      ] as JSON,
      "sizes": PhotoSize.ladder(width: blob.pixelWidth, height: blob.pixelHeight).map {
        ["size": $0.maxSide, "pixelWidth": $0.width, "pixelHeight": $0.height] as JSON
      },
      "normalization": facts.normalization.json,
    ]
  }
}

extension FoundPhoto {
  /// The photo object with the folder and name in which an import found it, those of all its copies, its date, and the
  /// draft or announcement that uses it.
  var json: JSON {
    photo.json.adding([
      "folder": folder, "name": name, "taken": taken?.text, "takenFrom": taken?.source.rawValue,
      "places": places.map { ["folder": $0.folder, "name": $0.name] as JSON },
      "draft": holders.draft, "announcement": holders.announcement,
    ])
  }
}

extension Normalization {
  /// The documented `normalization` and `plan` object.
  var json: JSON {
    [
      "method": method.rawValue, "reasons": reasons.map(\.rawValue), "losses": losses,
      "repairs": repairs, "removed": removed.map { ["kind": $0.kind, "bytes": $0.bytes] as JSON },
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
    status.json.adding(invalid?.members ?? [:]).addingKnown(["lastFailure": failure])
  }
}

extension InvalidPhoto {
  var members: JSON.Members {
    ["problem": problem.rawValue, "id": photo.id, "fileName": photo.fileName]
  }
}
