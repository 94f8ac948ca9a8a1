package import Foundation

/// The record of a file that an import has checked: the photo that it became or equals, or the reason why it was
/// refused.
package struct SourceRecord: Sendable, Equatable {
  /// The absolute path, which may contain any bytes.
  package var path: [UInt8]
  package var identity: FileIdentity
  /// The SHA-256 of the file. `nil` if the file was refused by its first bytes.
  package var sha256: String?
  /// The result of the check. `nil` if the recorded result can no longer be read.
  package var knowledge: SourceKnowledge?

  package init(
    path: [UInt8], identity: FileIdentity, sha256: String?, knowledge: SourceKnowledge?
  ) {
    self.path = path
    self.identity = identity
    self.sha256 = sha256
    self.knowledge = knowledge
  }
}

/// The result of an earlier check of a file or of equal bytes.
package enum SourceKnowledge: Equatable, Sendable {
  /// The file became this library photo or equals it. The tier is `nil` for the file that the photo was made from.
  case photo(UUID, ImportOutcome.DuplicateTier?)
  case refused(ImportRefusal)

  package var photo: UUID? { if case .photo(let id, _) = self { id } else { nil } }
}

/// The place and size of a picture in a record.
package struct RecordedPicture: Sendable, Equatable {
  package var place: BlobPath
  package var sizeBytes: Int

  package init(_ place: BlobPath, sizeBytes: Int) {
    self.place = place
    self.sizeBytes = sizeBytes
  }
}

/// The result of an earlier check, and the blob of the photo that it refers to.
package struct KnownSource: Sendable, Equatable {
  package var knowledge: SourceKnowledge
  /// `nil` if the result refers to no photo, or if the photo's record contains no valid place.
  package var blob: RecordedPicture?

  package init(_ knowledge: SourceKnowledge, blob: RecordedPicture?) {
    self.knowledge = knowledge
    self.blob = blob
  }
}

/// The result of looking up a file in the catalog before an import reads it.
package struct SourceLookup: Sendable, Equatable {
  /// The record of this file, or of the same file under another name.
  package var record: SourceRecord
  /// `true` if the record has the same path and no import was about to remove the file.
  package var isSamePath: Bool
  /// The blob of the photo that the record refers to.
  package var blob: RecordedPicture?
}
